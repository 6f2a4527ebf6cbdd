"""How contacts at one place of a mesh share the force, written from docs/manifolds.md. Part of the slow reference.

With depths d and normals n, c_ij = max(0, n_i . n_j): find lambda >= 0 with c lambda - d >= 0 and
lambda . (c lambda - d) = 0, and raise those of three and more to a part of what no other contact alone clears. All sets
of contacts are tried for those with lambda > 0. c has no negative entry, so there is always a solution; where c is not
positive definite there may be several.
"""

from itertools import chain, combinations

import numpy as np

MOST = 10  # contacts of which all subsets are tried
NEAR = 1e-9  # of the depths: less than that from having no share, or from having one
NEARLY, PART, LEAST = 0.9, 0.1, 1e-9  # docs/manifolds.md, "Ball at x" 3
OTHER = 1e-6  # of the depths: solutions that differ by more are two


def solve(c, d):
    """c^-1 d for matrices (B, k, k) and vectors (B, k), by Gauss in the precision of c; nan where c is singular."""
    c, d = c.copy(), d.copy()
    k, row = c.shape[1], np.arange(len(c))
    for j in range(k):
        p = j + np.abs(c[:, j:, j]).argmax(1)
        for m in (c, d):
            m[row, j], m[row, p] = m[row, p].copy(), m[row, j].copy()
        pivot = np.where(np.abs(c[:, j, j]) > 1e-12, c[:, j, j], np.nan)
        for i in range(j + 1, k):
            factor = c[:, i, j] / pivot
            c[:, i] -= factor[:, None] * c[:, j]
            d[:, i] -= factor * d[:, j]
    with np.errstate(divide="ignore", invalid="ignore"):
        for j in reversed(range(k)):
            d[:, j] = (d[:, j] - (c[:, j, j + 1 :] * d[:, j + 1 :]).sum(1)) / c[:, j, j]
    return d


def coupling(n):
    """c (B, K, K) of normals (B, K, 3)."""
    return (n[:, :, None] * n[:, None]).sum(-1).clip(0)


def uncleared(n, d):
    """What of each depth no other contact alone clears (B, K), of three and more; at least 0."""
    rival = np.maximum(coupling(n), NEARLY) * d[:, None]
    rival[:, np.arange(d.shape[1]), np.arange(d.shape[1])] = 0
    return np.where((d > 0) & ((d > 0).sum(1) > 2)[:, None], d - rival.max(-1), 0).clip(0)


def least_push(n, d, slack):
    """What contacts that the others clear by `slack` have all the same (B, K)."""
    alone = uncleared(n, d)
    return np.where(alone > 0, np.maximum(np.minimum(PART * alone, slack), LEAST * d), 0)


def load_shares(n, d):
    """Shares (B, K) of contacts with normals (B, K, 3) and depths (B, K), and whether they are unsure (B,)."""
    load_share, unsure = solution(n, d)
    push = load_share * d
    slack = (coupling(n) * push[:, None]).sum(-1) - d
    return np.where(push > 0, load_share, least_push(n, d, slack) / np.where(d > 0, d, 1)), unsure


def solution(n, d):
    """Those of the complementarity problem."""
    count = d.shape[1]
    if count == 1:
        return np.ones_like(d), np.zeros(len(d), bool)
    if count > MOST:
        return relaxed(n, d)
    c, scale = coupling(n), d.max(1, keepdims=True)
    best, lead, several = np.zeros_like(d), np.full(len(d), -np.inf, d.dtype), np.zeros(len(d), bool)
    for chosen in map(list, chain.from_iterable(combinations(range(count), k + 1) for k in range(count))):
        push = np.zeros_like(d)
        push[:, chosen] = solve(c[:, chosen][:, :, chosen], d[:, chosen])
        push[~np.isfinite(push).all(1)] = -np.inf  # singular
        with np.errstate(invalid="ignore"):
            slack = ((c * push[:, None]).sum(-1) - d) / scale
        slack[:, chosen] = push[:, chosen] / scale
        margin = np.where(np.isnan(slack).any(1), -np.inf, slack.min(1))
        good = margin > -NEAR
        differs = good & (lead > -NEAR) & (np.abs(push - best).max(1) > OTHER * scale[:, 0])
        several |= differs
        better = margin > lead
        best[better], lead[better] = push[better], margin[better]
    return best / d, several | (lead < NEAR)


def relaxed(n, d, sweeps=400):
    """For many contacts: each in turn takes what is missing, until nothing changes; those that then push exactly."""
    c = coupling(n)
    push = np.zeros_like(d)
    for _ in range(sweeps):
        for i in range(d.shape[1]):
            push[:, i] = (push[:, i] + d[:, i] - (c[:, i] * push).sum(1)).clip(0)
    unsure = np.ones(len(d), bool)
    for b in range(len(d)):
        chosen = np.nonzero(push[b] > 0)[0]
        exact = np.zeros_like(d[b])
        exact[chosen] = solve(c[b][chosen][:, chosen][None], d[b, chosen][None])[0]
        slack = (c[b] @ exact - d[b]) / d[b].max()
        if np.isfinite(exact).all() and exact.min() >= 0 and slack.min() > -NEAR:
            push[b] = exact
            slack[chosen] = exact[chosen] / d[b].max()
            unsure[b] = slack.min() < NEAR
    return push / d, unsure


def raised(n, d, load_share):
    """Which shares (B, K) are what a contact has at least, and stand for no solution of the problem.

    What they clear by hangs on which of the others are so, too: all that are small enough, less those that do not fit.
    """
    given, most = load_share * d, PART * uncleared(n, d)
    those = (given > 0) & (given < most + NEAR * d)
    for _ in range(d.shape[1] + 1):
        push = np.where(those, 0, given)
        slack = (coupling(n) * push[:, None]).sum(-1) - d - push
        those = (most > 0) & (given > 0) & (np.abs(least_push(n, d, slack) - given) < NEAR * d)
    return those


def complementarity(n, d, load_share):
    """Worst violation (B,) in m of the conditions by shares (B, K), whichever solution they are; rows of depth 0 are
    none. What the deepest have at least may be more than they need, and stands for no solution of the problem."""
    push = np.where(raised(n, d, load_share), 0, load_share * d)
    slack = (coupling(n) * push[:, None]).sum(-1) - d
    missing = np.where(d > 0, -slack, 0).max(1)
    over = np.where(push > 0, np.minimum(push, np.abs(slack)), 0).max(1)
    return np.maximum(missing, over).clip(0)
