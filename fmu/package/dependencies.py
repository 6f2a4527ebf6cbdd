"""What the initial values of outputs depend on, for the element ModelStructure of modelDescription.xml.

Between communication points an output keeps its value, whatever is set: it depends on nothing there. In initialization
mode an output follows from the start values of inputs and parameters. `initial_dependencies` follows the wrenches from
body to body:

- the state of a body comes from its inputs (external), its start parameters (free), or its elements (driven),
- the contacts of a body come from the states of both bodies of each pair, and from the parameters of their laws,
- an element comes from its parameters and commands, the states of its bodies, the wrenches on its driven bodies, and
  the elements that it reads; some, such as joints, also from the wrenches and loads on all their bodies,
- the wrench on a body comes from its contacts and its elements.

In a scene with ``coupling = "jacobi"`` the initial wrenches may be means over the first step, in which the bodies move:
contacts and elements then come from the wrenches and loads on their bodies and from their mass properties, too.

A variable belongs to the body, law or element whose name precedes the last point of its name. A variable without such
an owner, such as ``resolve_in``, may change all outputs. No dependency is left out; some of those named may be zero.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from contactlib.model.model_file import read_section

if TYPE_CHECKING:
    from contactlib.model.model import Model

#: numbers of sections in core/model/format.hpp
SHAPES, MATERIAL_PAIRS, PAIRS, PAIR_RULES = 3, 6, 7, 16
#: a scene of more bodies names no dependencies: the list of each output would be as long as the scene
MOST_BODIES = 500
WORLD, NEVER = -1, 0xFFFFFFFF  # NEVER: all rows of the pair table are ignored
#: outputs of the steps so far, which begin at 0
OF_STEPS = ("force_peak", "force_peak_time", "energy_error", "recommended_step", "consistency")

#: tunable parameters of external bodies with a mass
MASS_PROPERTIES = ("mass", "com", "inertia")

#: ("state", body), ("load", body), ("mass", body), ("contacts", body), ("wrench", body), ("element", element),
#: ("law", law), ("side", 2 rule) and ("side", 2 rule + 1): all bodies on a side of a rule
Node = tuple[str, int]


def initial_dependencies(model: Model) -> dict[int, list[int] | None]:
    """Return for each output the inputs and parameters that its initial value depends on.

    Parameters
    ----------
    model : the compiled scene.

    Returns
    -------
    dict
        Indexes into the variable table, rising; None in a scene of more than MOST_BODIES bodies: possibly all.

    Examples
    --------
    >>> import contactlib
    >>> model = contactlib.load("tether_tow").compile()
    >>> names = [variable.name for variable in model.variables]
    >>> known = initial_dependencies(model)[names.index("engine.thrust")]
    >>> "engine.throttle" in [names[i] for i in known], "line.stiffness" in [names[i] for i in known]
    (True, False)
    """
    if len(model.body_names) > MOST_BODIES:
        return {i: [] if is_of_steps(v.name) else None
                for i, v in enumerate(model.variables) if v.causality == "output"}
    graph = _Graph(model)
    return {i: [] if is_of_steps(v.name) else sorted(graph.knowns_of(i))
            for i, v in enumerate(model.variables) if v.causality == "output"}


def is_of_steps(name: str) -> bool:
    """Return whether a variable is an output of the steps so far, which belongs to a body or to the coupling."""
    owner, _, part = name.rpartition(".")
    return part in OF_STEPS and owner != "contact"


def is_mass_property(model: Model, name: str) -> bool:
    """Return whether a variable is the mass, the centre of mass or the inertia of a body.

    Examples
    --------
    >>> import contactlib
    >>> model = contactlib.load("peg_in_hole").compile()
    >>> is_mass_property(model, "interface.com[1]"), is_mass_property(model, "interface.r[1]")
    (True, False)
    """
    owner, _, quantity = name.rpartition(".")
    return owner in model.body_names and quantity.partition("[")[0] in MASS_PROPERTIES


def pair_laws(model: Model) -> list[tuple[int, int, set[int]]]:
    """Return for each pair of bodies that the scene names: both bodies, and the laws of their shapes' materials."""
    content = model.to_bytes()
    laws, materials = _laws_of_materials(content), _materials(content, lambda body: body)
    return [(int(row["body_a"]), int(row["body_b"]),
             _laws_between(int(row["law"]), materials[int(row["body_a"])], materials[int(row["body_b"])], laws))
            for row in read_section(content, PAIRS, "pair") if row["ignore"].min() != NEVER]


def rule_laws(model: Model) -> list[tuple[list[int], list[int], set[int]]]:
    """Return for each rule of pairs that the scene does not name: the bodies of both classes, and their laws."""
    content = model.to_bytes()
    classes = model.core.pair_classes[0]
    laws, materials = _laws_of_materials(content), _materials(content, lambda body: classes[body])
    members: dict[int, list[int]] = defaultdict(list)
    for body, number in enumerate(classes):
        members[number].append(body)
    return [(members[a], members[b], _laws_between(int(row["law"]), materials[a], materials[b], laws))
            for row in read_section(content, PAIR_RULES, "pair_rule") if row["ignore"].min() != NEVER
            for a, b in [(int(row["class_a"]), int(row["class_b"]))]]


def _laws_of_materials(content: bytes) -> dict[tuple[int, int], int]:
    laws: dict[tuple[int, int], int] = {}
    for row in read_section(content, MATERIAL_PAIRS, "material_pair"):
        a, b = int(row["material_a"]), int(row["material_b"])
        laws[a, b] = laws[b, a] = int(row["law"])
    return laws


def _materials(content: bytes, owner: Callable[[int], int]) -> dict[int, set[int]]:
    """Return the materials of the shapes by what owns their bodies."""
    found: dict[int, set[int]] = defaultdict(set)
    shapes = read_section(content, SHAPES, "shape")
    for body, material in zip(shapes["body"].tolist(), shapes["material"].tolist(), strict=True):
        found[owner(body)].add(material)
    return found


def _laws_between(law: int, one: set[int], other: set[int], laws: dict[tuple[int, int], int]) -> set[int]:
    return {law} if law >= 0 else {laws[a, b] for a in one for b in other if (a, b) in laws}


class _Graph:
    """The nodes of a model, what each comes from, and the variables that belong to each."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.places = {name: ("body", i) for i, name in enumerate(model.body_names)}
        self.places |= {name: ("law", i) for i, name in enumerate(model.law_names)}
        self.places |= {name: ("element", i) for i, name in enumerate(model.element_names)}
        self.names = {variable.name for variable in model.variables}
        self.predicts = any(v.name == "coupling" and v.items[int(v.start) - 1] == "jacobi" for v in model.variables)
        self.owned: dict[Node, list[int]] = defaultdict(list)
        self.everywhere: list[int] = []
        self.edges: dict[Node, set[Node]] = defaultdict(set)
        for index, variable in enumerate(model.variables):
            if variable.causality != "output":
                self._assign(index)
        self._connect()
        self._closures: dict[Node, set[int]] = {}

    def _owner(self, index: int) -> Node | None:
        return self.places.get(self.model.variables[index].name.rpartition(".")[0])

    def _assign(self, index: int) -> None:
        owner = self._owner(index)
        if owner is None:
            self.everywhere.append(index)
        elif is_mass_property(self.model, self.model.variables[index].name):
            self.owned["mass", owner[1]].append(index)
        elif owner[0] == "body":
            # the inputs of a free body are loads, which its contacts do not see
            load = self.model.motions[owner[1]] == "free" and self.model.variables[index].causality == "input"
            self.owned["load" if load else "state", owner[1]].append(index)
        else:
            self.owned[owner].append(index)

    def _connect(self) -> None:
        motions, links = self.model.motions, self.model.core.element_links
        reads_loads = self.model.core.load_readers
        for body in range(len(motions)):
            self.edges["wrench", body].add(("contacts", body))
        for one, other, laws in pair_laws(self.model):
            for body in (one, other):
                self.edges["contacts", body] |= {("state", one), ("state", other), *(("law", law) for law in laws)}
                if self.predicts:
                    moved_by = ("wrench", "load", "mass")
                    self.edges["contacts", body] |= {(kind, i) for kind in moved_by for i in (one, other)}
        for rule, (of_a, of_b, laws) in enumerate(rule_laws(self.model)):
            side_a: Node = ("side", 2 * rule)
            side_b: Node = ("side", 2 * rule + 1)
            for of, own, met in ((of_a, side_a, side_b), (of_b, side_b, side_a)):
                for body in of:
                    self.edges["contacts", body] |= {("state", body), met, *(("law", law) for law in laws)}
                    kinds = ("state", "wrench", "load", "mass") if self.predicts else ("state",)
                    self.edges[own] |= {(kind, body) for kind in kinds}
                    if self.predicts:
                        self.edges["contacts", body] |= {(kind, body) for kind in kinds}
        for element, (_, _, _, bodies) in enumerate(self.model.core.elements):
            node = ("element", element)
            self.edges[node] |= {("element", other) for other in links[element]}
            if self.model.core.state_readers[element]:
                self.edges[node] |= {("state", body) for body in range(len(motions))}
            for body in set(bodies) - {WORLD}:
                self.edges[node].add(("state", body))
                self.edges["wrench", body].add(node)
                if motions[body] == "driven":
                    self.edges["state", body].add(node)
                if motions[body] == "driven" or reads_loads[element] or self.predicts:
                    self.edges[node] |= {("wrench", body), ("load", body)}
                if self.predicts:
                    self.edges[node].add(("mass", body))

    def knowns_of(self, output: int) -> set[int]:
        """Return the inputs and parameters from which an output comes."""
        found = set(self.everywhere)
        for node in self._nodes_of(output):
            found |= self._closure(node)
        return found

    def _nodes_of(self, output: int) -> Iterator[Node]:
        """Yield the nodes that an output shows. An output without an owner shows all contacts and elements."""
        owner = self._owner(output)
        if owner is None:
            yield from (("contacts", body) for body in range(len(self.model.motions)))
            if not self.model.variables[output].name.startswith("contact."):
                yield from (("element", element) for element in range(len(self.model.element_names)))
        elif owner[0] == "body":
            yield ("state", owner[1])
            if not self._has_start(output):
                yield ("wrench", owner[1])
        else:
            yield owner

    def _has_start(self, output: int) -> bool:
        """Return whether a parameter has the initial value of an output, as ``peg.r_start[1]`` of ``peg.r[1]``."""
        name, bracket, index = self.model.variables[output].name.partition("[")
        return f"{name}_start{bracket}{index}" in self.names

    def _closure(self, start: Node) -> set[int]:
        if start not in self._closures:
            seen, waiting = {start}, [start]
            while waiting:
                fresh = self.edges[waiting.pop()] - seen
                seen |= fresh
                waiting += fresh
            self._closures[start] = {index for node in seen for index in self.owned[node]}
        return self._closures[start]
