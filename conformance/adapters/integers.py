"""The integers of the API, for random scenarios."""


def api_int(r, usual, most):
    """An integer of the API: as people write it; one in thirty from all that it may be, up to most: borders, powers of two and
    their neighbours, seconds whose nanoseconds leave int64."""
    if r.random() >= 1 / 30:
        return r.choice(usual)
    corners = [most] + [c for c in (9223371916, 9223372036, 288230376151714) if c < most]
    return max(1, min(most, r.choice(corners + [1 << r.randrange(most.bit_length())]) + r.choice([-1, 0, 1])))
