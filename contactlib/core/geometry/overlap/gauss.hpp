// Gauss-Legendre nodes and weights for the interval from 0 to 1.
#pragma once

namespace contactlib::geometry {

struct GaussRule {
  static constexpr int max_points = 10;

  int count;
  double at[max_points], weight[max_points];
};

// Exact for polynomials of degree 2 count - 1.
inline constexpr GaussRule gauss3{
    3, {0.1127016653792583, 0.5, 0.8872983346207417}, {5.0 / 18.0, 4.0 / 9.0, 5.0 / 18.0}};
inline constexpr GaussRule gauss4{4,
                                  {0.06943184420297371, 0.3300094782075719, 0.6699905217924281, 0.9305681557970263},
                                  {0.1739274225687269, 0.3260725774312731, 0.3260725774312731, 0.1739274225687269}};
inline constexpr GaussRule gauss5{
    5,
    {0.04691007703066800, 0.2307653449471585, 0.5, 0.7692346550528415, 0.9530899229693320},
    {0.1184634425280945, 0.2393143352496832, 64.0 / 225.0, 0.2393143352496832, 0.1184634425280945}};
inline constexpr GaussRule gauss6{6,
                                  {0.03376524289842403, 0.1693953067668678, 0.3806904069584016, 0.6193095930415985,
                                   0.8306046932331322, 0.9662347571015759},
                                  {0.08566224618958514, 0.1803807865240694, 0.2339569672863455, 0.2339569672863455,
                                   0.1803807865240694, 0.08566224618958514}};
inline constexpr GaussRule gauss8{8,
                                  {0.01985507175123191, 0.1016667612931866, 0.2372337950418355, 0.4082826787521751,
                                   0.5917173212478248, 0.7627662049581645, 0.8983332387068134, 0.9801449282487681},
                                  {0.05061426814518853, 0.1111905172266872, 0.1568533229389434, 0.1813418916891808,
                                   0.1813418916891808, 0.1568533229389434, 0.1111905172266872, 0.05061426814518853}};
inline constexpr GaussRule gauss10{
    10,
    {0.01304673574141413, 0.06746831665550773, 0.1602952158504878, 0.2833023029353764, 0.4255628305091844,
     0.5744371694908156, 0.7166976970646236, 0.8397047841495122, 0.9325316833444923, 0.9869532642585859},
    {0.03333567215434407, 0.0747256745752902, 0.109543181257991, 0.1346333596549983, 0.1477621123573764,
     0.1477621123573764, 0.1346333596549983, 0.109543181257991, 0.0747256745752902, 0.03333567215434407}};

static_assert(gauss10.count == GaussRule::max_points);

// The rule with the fewest points that is exact up to this degree, as far as there is one.
inline const GaussRule& gauss_of_degree(int degree) noexcept {
  for (const GaussRule* rule : {&gauss3, &gauss5, &gauss8})
    if (2 * rule->count - 1 >= degree) return *rule;
  return gauss10;
}

}  // namespace contactlib::geometry
