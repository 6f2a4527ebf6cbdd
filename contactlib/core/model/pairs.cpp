#include "pairs.hpp"

#include <algorithm>

namespace contactlib::model {

namespace {

// A scene of no more pairs than this tests them one by one; a scene with more has a broad phase over its bodies.
constexpr std::size_t most_listed = 64;
// A scene of no more bodies than this has its rules counted.
constexpr std::size_t most_counted = 128;

std::uint64_t rule_key(std::int32_t a, std::int32_t b, bool same_object) noexcept {
  const auto low = static_cast<std::uint64_t>(std::min(a, b)), high = static_cast<std::uint64_t>(std::max(a, b));
  return low << 32 | high << 1 | static_cast<std::uint64_t>(same_object);
}

}  // namespace

bool PairIndex::make(const std::vector<Pair>& pairs, const std::vector<bool>& same_object) {
  const std::size_t count = class_of.size();
  named = pairs.size() - same_object.size();
  first.assign(count + 1, 0);
  partners.resize(named);
  for (std::size_t p = 0; p < named; ++p) ++first[static_cast<std::size_t>(std::min(pairs[p].a, pairs[p].b)) + 1];
  for (std::size_t i = 0; i < count; ++i) first[i + 1] += first[i];
  std::vector<std::int32_t> next(first.begin(), first.end() - 1);
  for (std::size_t p = 0; p < named; ++p)
    partners[next[std::min(pairs[p].a, pairs[p].b)]++] = {std::max(pairs[p].a, pairs[p].b),
                                                          static_cast<std::int32_t>(p)};
  // with comparisons of our own: the sort that the library holds ready needs the compiler's runtime on aarch64
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = partners.begin() + first[i], end = partners.begin() + first[i + 1];
    std::sort(begin, end, [](const Partner& x, const Partner& y) noexcept { return x.body < y.body; });
    const auto same = [](const Partner& x, const Partner& y) noexcept { return x.body == y.body; };
    if (std::adjacent_find(begin, end, same) != end) return false;
  }
  rules.clear();
  for (std::size_t p = named; p < pairs.size(); ++p)
    rules.push_back({rule_key(pairs[p].a, pairs[p].b, same_object[p - named]), static_cast<std::int32_t>(p)});
  std::sort(rules.begin(), rules.end(), [](const Rule& x, const Rule& y) noexcept { return x.key < y.key; });
  const auto same = [](const Rule& x, const Rule& y) noexcept { return x.key == y.key; };
  if (std::adjacent_find(rules.begin(), rules.end(), same) != rules.end()) return false;
  list(pairs);
  return true;
}

// Lists all pairs if there are few, and otherwise the bodies that have any.
void PairIndex::list(const std::vector<Pair>& pairs) {
  const auto count = static_cast<std::int32_t>(class_of.size());
  listed.clear(), bodies.clear();
  const bool counted = named <= most_listed && (rules.empty() || class_of.size() <= most_counted);
  for (std::size_t p = 0; counted && p < named; ++p)
    if (!pairs[p].ignores_all())
      listed.push_back({pairs[p].order, pairs[p].a, pairs[p].b, static_cast<std::int32_t>(p)});
  for (std::int32_t i = 0; counted && !rules.empty() && i < count; ++i)
    for (std::int32_t k = i + 1; k < count; ++k) {
      const BodyPair found = find(pairs, i, k);
      if (found.pair >= static_cast<std::int32_t>(named)) listed.push_back(found);
    }
  if (counted && listed.size() <= most_listed) {
    std::sort(listed.begin(), listed.end(), before);
    return;
  }
  listed.clear();
  std::vector<bool> met(class_of.size(), false), classes(class_of.size(), false);
  for (std::size_t p = 0; p < named; ++p) met[pairs[p].a] = met[pairs[p].b] = true;
  for (std::size_t p = named; p < pairs.size(); ++p) classes[pairs[p].a] = classes[pairs[p].b] = true;
  for (std::int32_t i = 0; i < count; ++i)
    if (met[i] || (class_of[i] >= 0 && classes[class_of[i]])) bodies.push_back(i);
}

BodyPair PairIndex::between(const std::vector<Pair>& pairs, std::int32_t pair, std::int32_t i,
                            std::int32_t k) const noexcept {
  const Pair& of = pairs[pair];
  const bool rule = static_cast<std::size_t>(pair) >= named;
  bool swap = rule ? i > k : i != of.a;
  if (rule && of.directed && class_of[i] != class_of[k]) swap = class_of[i] != of.a;
  return swap ? BodyPair{of.order, k, i, pair} : BodyPair{of.order, i, k, pair};
}

BodyPair PairIndex::find(const std::vector<Pair>& pairs, std::int32_t i, std::int32_t k) const noexcept {
  const std::int32_t low = std::min(i, k), high = std::max(i, k);
  const auto end = partners.begin() + first[low + 1];
  const auto found =
      std::lower_bound(partners.begin() + first[low], end, high,
                       [](const Partner& partner, std::int32_t body) noexcept { return partner.body < body; });
  if (found != end && found->body == high)
    return pairs[found->pair].ignores_all() ? BodyPair{0, i, k, -1} : between(pairs, found->pair, i, k);
  if (rules.empty() || class_of[i] < 0 || class_of[k] < 0) return {0, i, k, -1};
  const std::uint64_t key = rule_key(class_of[i], class_of[k], object_of[i] == object_of[k]);
  const auto rule = std::lower_bound(rules.begin(), rules.end(), key,
                                     [](const Rule& each, std::uint64_t wanted) noexcept { return each.key < wanted; });
  if (rule == rules.end() || rule->key != key || pairs[rule->pair].ignores_all()) return {0, i, k, -1};
  return between(pairs, rule->pair, i, k);
}

}  // namespace contactlib::model
