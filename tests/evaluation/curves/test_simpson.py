"""Our weights are those of Simpson's rule for uneven spacing, with scipy as the judge."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import simpson

from evaluation.curves.simpson import simpson_weights


@given(st.data(), st.integers(3, 14))
def test_the_integral_over_an_uneven_grid_is_that_of_scipy(data: st.DataObject, points: int) -> None:
    steps = data.draw(st.lists(st.floats(0.01, 5), min_size=points - 1, max_size=points - 1))
    values = data.draw(st.lists(st.floats(-100, 100), min_size=points, max_size=points))
    abscissae = np.cumsum([0.5, *steps])
    weights = simpson_weights(abscissae)
    scale = float(np.abs(weights) @ np.abs(values))
    assert weights @ values == pytest.approx(simpson(values, x=abscissae), abs=1e-9 * max(1.0, scale))


@pytest.mark.parametrize("points", [3, 4, 5, 6, 7, 8])
def test_parabolas_are_integrated_exactly(points: int) -> None:
    abscissae = np.log(np.array([5, 10, 20, 50, 100, 200, 500, 900][:points]))
    integral = simpson_weights(abscissae) @ (3 * abscissae**2 - abscissae + 2)
    first, last = ((x**3 - x**2 / 2 + 2 * x) for x in (abscissae[0], abscissae[-1]))
    assert integral == pytest.approx(last - first, rel=1e-12)


@pytest.mark.parametrize("abscissae", [[], [1.0], [1.0, 2.0], [1.0, 1.0, 2.0], [1.0, 3.0, 2.0]])
def test_too_few_points_and_points_that_do_not_grow_are_refused(abscissae: list[float]) -> None:
    with pytest.raises(ValueError, match="three points"):
        simpson_weights(abscissae)
