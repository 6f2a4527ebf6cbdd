from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Memory = tuple[NDArray[Any], ...]
Surface = tuple[Floats, Ints, Ints]
ParameterRow = tuple[str, str, float, bool, str]
Curve = Sequence[Sequence[float]]
LawParameterRow = tuple[str, str, float, bool, str, float | None]
LawRow = tuple[str, tuple[LawParameterRow, ...]]
ElementVariables = tuple[tuple[ParameterRow, bool], ...]

STATE_WIDTH: int
WRENCH_WIDTH: int
MAX_MANIFOLD: int
MANY: int
CONTACT_DTYPE: np.dtype[np.void]
PHASES: tuple[str, ...]
FOREIGN_COLUMNS: tuple[tuple[str, str, int], ...]
CABLE_PLACE_DTYPE: np.dtype[np.void]
CABLE_TOUCH_DTYPE: np.dtype[np.void]
MEMBRANE_DTYPE: np.dtype[np.void]
SOLVE_DTYPE: np.dtype[np.void]
SOLVE_CODES: tuple[str, ...]
LEE_COMMANDS: tuple[str, ...]
LEE_PHASES: tuple[str, ...]
LEE_FLAGS: tuple[str, ...]
LEE_SENSES: tuple[str, ...]
LEE_STATE_WIDTH: int
OPENMP: bool

class Model:
    def __init__(self, content: bytes) -> None: ...
    def to_bytes(self) -> bytes: ...
    @property
    def hash(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def step_size(self) -> float: ...
    @property
    def duration(self) -> float: ...
    @property
    def body_names(self) -> tuple[str, ...]: ...
    @property
    def motions(self) -> tuple[str, ...]: ...
    @property
    def pairs(self) -> tuple[tuple[int, int, tuple[int, ...]], ...]: ...
    @property
    def elements(self) -> tuple[tuple[str, int, int, tuple[int, ...]], ...]: ...
    @property
    def foreign(self) -> tuple[tuple[int, str, str, int, int], ...]: ...
    @property
    def own_width(self) -> int: ...
    @property
    def shapes(self) -> tuple[tuple[int, int], ...]: ...
    @property
    def contact_capacity(self) -> int: ...
    def variables(self) -> list[tuple[str, str, str, str, str, bool, float, float]]: ...

class Data:
    def __init__(self, model: Model, num_threads: int = 1) -> None: ...
    @property
    def model(self) -> Model: ...
    @property
    def time(self) -> float: ...
    @property
    def contact_count(self) -> int: ...
    @property
    def max_depth(self) -> float: ...
    @property
    def energy_stored(self) -> float: ...
    @property
    def energy_dissipated(self) -> float: ...
    def set_models(self, models: Any, columns: Mapping[str, NDArray[Any]]) -> None: ...
    @property
    def last_interval(self) -> float: ...
    def reset(self) -> None: ...
    def states(self) -> Floats: ...
    def wrenches(self) -> Floats: ...
    def responses(self) -> Floats: ...
    def contacts(self) -> NDArray[np.void]: ...
    def work(self) -> tuple[int, int]: ...
    def set_states(self, states: ArrayLike) -> None: ...
    def set_applied(self, wrenches: ArrayLike, body_axes: bool = False) -> None: ...
    def applied(self, body_axes: bool = False) -> Floats: ...
    def accept_inputs(self) -> None: ...
    def accept_commands(self) -> None: ...
    def evaluate(self) -> None: ...
    def advance(self, dt: float) -> None: ...
    def get(self, index: int) -> float: ...
    def set(self, index: int, value: float) -> None: ...
    def set_rate(self, index: int, value: float) -> None: ...
    def cable_nodes(self, element: int) -> tuple[NDArray[np.float64], ...]: ...
    def save(self) -> bytes: ...
    def restore(self, saved: bytes) -> None: ...

class Shape:
    def __init__(self, kind: int, rim: int, size: list[float], surface: Surface | None = None) -> None: ...

def law_tables() -> dict[str, list[LawRow]]: ...
def element_table() -> list[tuple[str, ElementVariables, ElementVariables, ElementVariables]]: ...
def needs_curve(normal: str) -> bool: ...
def checksum(content: bytes) -> int: ...
def shape_kinds() -> tuple[str, ...]: ...
def pair_table() -> NDArray[np.int64]: ...
def empty_manifolds(n: int, slots: int = 8) -> Memory: ...
def manifolds(
    shape_a: Shape,
    shape_b: Shape,
    X_WA: Floats,
    X_WB: Floats,
    hints: Floats,
    out: Memory,
    num_threads: int,
) -> int: ...
def compute_batch(model: Model, states: Floats, num_threads: int) -> tuple[Floats, Ints, Floats]: ...
def rim_line(R: float, Q: Floats, d: Floats) -> tuple[Ints, Floats]: ...
def rim_search(R: float, Q: Floats, d: Floats, levels: int, ends: bool) -> Floats: ...
def rays(
    shape: Shape, X_WS: Floats, origins: Floats, directions: Floats, longest: float, num_threads: int
) -> tuple[NDArray[np.uint8], Floats, Floats, Ints, int]: ...
def press(
    points: Floats,
    states: Floats,
    plane: Floats,
    normal: tuple[int, tuple[float, ...], Floats],
    friction: tuple[int, tuple[float, ...]] | None,
    h: float,
    bristles: Floats,
    num_threads: int,
) -> tuple[Floats, Floats, Floats, Floats, Floats, int]: ...
class Cable:
    def __init__(
        self,
        elements: ArrayLike,
        material: Sequence[float],
        measure: str = "green",
        quadrature: str = "full",
        tension_stiffness: bool = False,
    ) -> None: ...
    @property
    def nodes(self) -> int: ...

def step_cables(
    cable: Cable,
    q: Floats,
    v: Floats,
    h: float,
    steps: int,
    gravity: ArrayLike,
    forces: Floats,
    holds: Sequence[str],
    ends: Floats,
    reactions: Floats,
) -> tuple[Ints, Ints, Ints]: ...
def cable_system(
    cable: Cable,
    q: Floats,
    v: Floats,
    h: float,
    gravity: ArrayLike,
    forces: Floats,
    holds: Sequence[str],
    ends: Floats,
    columns: Floats,
) -> tuple[Floats, Floats, Floats]: ...
def measure_cables(cable: Cable, q: Floats, v: Floats) -> tuple[Floats, Floats]: ...
def four_bar(
    bars: tuple[float, ...], angle: float
) -> tuple[float, float, float, float] | None: ...
def control_rows() -> list[tuple[str, str, str, str]]: ...

class Control:
    def __init__(self, numbers: ArrayLike) -> None: ...
    def step(
        self, input: Floats, sense: Floats, h: float, state: Floats
    ) -> tuple[tuple[float, float], tuple[bool, bool], tuple[bool, bool], str, frozenset[str]]: ...

BERTHING_COMMANDS: tuple[str, ...]
BERTHING_PHASES: tuple[str, ...]
BERTHING_FLAGS: tuple[str, ...]
BERTHING_STATE_WIDTH: int
MOST_LATCHES: int

def berthing_rows() -> list[tuple[str, str, str, str]]: ...

class Berthing:
    def __init__(self, numbers: ArrayLike, latches: int, indicators: int, seats: int = 0) -> None: ...
    def step(
        self, command: float, latches: Floats, ready: float, h: float, state: Floats, seated: float = 0.0
    ) -> tuple[list[tuple[float, bool, bool, bool]], str, frozenset[str]]: ...

def cable_touches(
    cables: Sequence[Cable],
    q: Sequence[Floats],
    skins: Sequence[tuple[float, int, bool]],
    shapes: Sequence[Shape],
    X_WS: Floats,
    reach: float,
    capacity: int = 1024,
) -> tuple[NDArray[np.void], int]: ...
def run_ensemble(
    models: list[Model],
    runs: int,
    starts: Floats,
    tuned: Ints,
    values: Floats,
    recorded: Ints,
    steps: int,
    every: int,
    dt: float,
    num_threads: int,
) -> tuple[Floats, list[tuple[float, str] | None]]: ...

class Membrane:
    fault: str
    index: int
    outline: float
    def __init__(
        self,
        dimension: int,
        p_CS: Floats,
        up_C: Floats,
        p_BV: Floats,
        triangles: Ints,
        tables: tuple[Curve, Curve, Curve] = ...,
        spread: int = 0,
        push: bool = False,
    ) -> None: ...

def membrane_wrenches(
    membrane: Membrane,
    parameters: tuple[float, float, float, float, float],
    states: Floats,
    reel: Floats,
    reel_rate: Floats,
    out: NDArray[np.void],
    num_threads: int,
) -> tuple[Ints, Ints]: ...
def membrane_fabric(
    membrane: Membrane, parameters: tuple[float, float, float, float, float], state: Floats, reel: Floats
) -> tuple[Ints, Ints, Floats, Floats]: ...
def solve_mcp(
    A: Floats, b: Floats, lo: Floats, hi: Floats, states: NDArray[np.int8], z: Floats, cap: int = 100
) -> NDArray[np.void]: ...
def solve_friction(
    A: Floats,
    b: Floats,
    lo: Floats,
    hi: Floats,
    normals: Ints,
    mu: Floats,
    states: NDArray[np.int8],
    z: Floats,
    cap: int = 400,
    sweep_cap: int = 10230,
) -> NDArray[np.void]: ...
