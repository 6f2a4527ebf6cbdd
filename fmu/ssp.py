"""Writes a scene as a system for SSP 1.0: its contact FMU, an FMU for each body that flies, connections, parameters.

The FMU of a body that flies is one of contactlib itself, for a scene with one free body: the same binary with another
model file.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, register_namespace, tostring

from contactlib.common import tables
from contactlib.common.options import COUPLINGS, STATE, WRENCH
from contactlib.fmu.description import flat_name, generation_date
from contactlib.fmu.export import export_fmu, write_archive
from contactlib.fmu.master import mass_properties
from contactlib.fmu.package.metadata import tool_version
from contactlib.fmu.units import base_units
from contactlib.model.parts import Body
from contactlib.model.spec import Spec

if TYPE_CHECKING:
    from contactlib.model.model import Model, Variable
    from contactlib.shapes.mass import MassProperties

CONTACT = "contact"
#: the name of the one body in the scene of a plant
BODY = "body"
#: s; the attitude of a body that turns at w has an error of (w h)^5/120 in each of these steps of order four
PLANT_STEP = 1e-3
NAMESPACES = {
    "ssd": "http://ssp-standard.org/SSP1/SystemStructureDescription",
    "ssc": "http://ssp-standard.org/SSP1/SystemStructureCommon",
    "ssv": "http://ssp-standard.org/SSP1/SystemStructureParameterValues",
    "osp": "http://opensimulationplatform.com/SSP/OSPAnnotations",  # of libcosim, for its step
}


@dataclass(frozen=True)
class Component:
    """An FMU of the system: its variables that are connected or observed, and its parameters."""

    name: str
    model: Model
    connectors: tuple[Variable, ...]
    parameters: tuple[Variable, ...]

    @property
    def source(self) -> str:
        """The FMU's file in the archive."""
        return f"resources/{self.name}.fmu"


@dataclass(frozen=True)
class Connection:
    """An output that is the value of an input: components and variables by name."""

    source: str
    output: str
    sink: str
    input: str


def plant_spec(spec: Spec, body: str, properties: MassProperties, state: Sequence[float]) -> Spec:
    """Return the scene of one free body, which the classical Runge-Kutta method moves under ``f_ext`` and ``t_ext``.

    Parameters
    ----------
    spec
        The scene of contact; its gravity acts on the body, and the axes of its wrenches are those of the load.
    body
        The name of the body in `spec`.
    properties
        Mass (kg), centre of mass (m) and inertia (kg m2).
    state
        r, q, v, w at the start (13 numbers), w in world axes.

    Examples
    --------
    >>> import contactlib
    >>> spec = contactlib.load("peg_in_hole")
    >>> body = spec.body("interface")
    >>> plant = plant_spec(spec, "interface", body.mass_properties(), body.state)
    >>> [v.name for v in plant.compile().variables if v.causality == "input"][:3]
    ['body.f_ext[1]', 'body.f_ext[2]', 'body.f_ext[3]']
    """
    moving = Body(BODY, "free", mass=properties.mass, com=tuple(properties.com.tolist()),
                  inertia=tuple(map(tuple, properties.inertia.tolist())), state=tuple(state))
    return Spec(name=flat_name(f"{spec.name}_{body}"), bodies=(moving,), gravity=spec.gravity, integrator="rk4",
                description=f"Body '{body}' of scene '{spec.name}', moved by the wrench on it",
                step_size=PLANT_STEP, duration=spec.duration, resolve_in=spec.resolve_in)


def export_ssp(
    spec: Spec,
    path: str | Path,
    *,
    fixed: Collection[str] = (),
    coupling: str | None = None,
    step: float | None = None,
    platforms: Sequence[str] | None = None,
) -> Path:
    """Write a scene with all that moves it as a system for SSP 1.0, for masters such as libcosim, Ecos and FMPy.

    External bodies with a mass get an FMU of their own each, which moves them under the contact's wrench and the
    scene's gravity. All other external bodies rest where they start.

    Parameters
    ----------
    spec
        The scene.
    path
        The file to write; the name should end in ``.ssp``.
    fixed
        Names of bodies with a mass that rest where they start.
    coupling
        The order in which the master steps: ``"jacobi"`` if all FMUs step at the same time, ``"gauss_seidel"`` if the
        contact steps first, or ``"none"`` (docs/coupling.md). By default that of the scene, or ``"jacobi"`` if the
        scene has ``"none"``.
    step
        Length of a communication step, s; by default the scene's ``step_size``, or ``max_step_size`` if that is "auto".
    platforms
        As of `contactlib.fmu.export.export_fmu`.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    FileNotFoundError
        If a prebuilt binary is missing.
    ValueError
        If there is no such body or coupling, if no body can move, or if the step is not positive.

    Examples
    --------
    >>> import contactlib, tempfile, zipfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = export_ssp(contactlib.load("peg_in_hole"), f"{folder}/peg.ssp")
    ...     zipfile.ZipFile(path).namelist()[:2]
    ['SystemStructure.ssd', 'resources/interface.fmu']
    """
    coupling, step = _order(spec, coupling), _step(spec, step)
    components, connections = system_parts(spec, fixed, coupling)
    files = {"SystemStructure.ssd": _to_bytes(_description(spec, components, connections, step))}
    with tempfile.TemporaryDirectory(prefix="contactlib_ssp_") as folder:
        for part in components:
            fmu = export_fmu(part.model, Path(folder) / f"{part.name}.fmu", platforms=platforms)
            files[part.source] = fmu.read_bytes()
    return write_archive(Path(path), files)


def _step(spec: Spec, step: float | None) -> float:
    """Return the length of a communication step, s. ValueError if it is not positive."""
    step = spec.longest_step if step is None else step
    if not 0.0 < step < float("inf"):
        raise ValueError(f"step = {step:g}: must be finite and greater than zero, s")
    return step


def _order(spec: Spec, coupling: str | None) -> str:
    """Return the order of the master's steps. ValueError for an unknown one."""
    if coupling is None:
        coupling = spec.coupling if spec.coupling != "none" else "jacobi"
    if coupling not in COUPLINGS:
        raise ValueError(f"coupling = {coupling!r}: must be one of {', '.join(COUPLINGS)}")
    return coupling


def system_parts(spec: Spec, fixed: Collection[str], coupling: str) -> tuple[list[Component], list[Connection]]:
    """Return the components of a scene's system, the contact last, and the connections; as in `export_ssp`.

    Examples
    --------
    >>> import contactlib
    >>> components, connections = system_parts(contactlib.load("peg_in_hole"), ["target"], "jacobi")
    >>> [part.name for part in components], str(connections[0].output), str(connections[0].input)
    (['interface', 'contact'], 'body.r[1]', 'interface.r[1]')
    """
    masses = mass_properties(spec.compile())
    known = {body.name: body for body in spec.rigid_bodies if body.motion == "external"}
    for name in fixed:
        if name not in known:
            raise ValueError(f"fixed = '{name}': there is no such external body; {tables.hint(name, known)}")
    flying = [name for name in known if name in masses and name not in fixed]
    if not flying:
        raise ValueError(f"scene '{spec.name}': no external body can move: give at least one a mass and an inertia, "
                         "and do not fix it")
    contact = replace(_resting(spec, set(known) - set(flying)), coupling=coupling).compile()
    inputs = {f"{name}.{part}" for name in flying for part in STATE}
    components, connections = list[Component](), list[Connection]()
    for name in flying:
        own = flat_name(name)
        plant = plant_spec(spec, name, masses[name], known[name].state).compile()
        loads = {f"{BODY}.{part[0]}_ext{part[1:]}" for part in WRENCH}
        starts = {f"{BODY}.{part[0]}_start{part[1:]}" for part in STATE}
        components.append(_component(own, plant, loads, starts | {"step_size"}, observed=f"{BODY}."))
        connections += [Connection(own, f"{BODY}.{part}", CONTACT, f"{name}.{part}") for part in STATE]
        connections += [Connection(CONTACT, f"{name}.{part}", own, f"{BODY}.{part[0]}_ext{part[1:]}")
                        for part in WRENCH]
    # fmucontainer initializes in this order: the contact last, when its inputs have their values
    components.append(_component(CONTACT, contact, inputs, {"coupling", "step_size"}))
    if len({part.name for part in components}) < len(components):
        raise ValueError(f"scene '{spec.name}': two bodies have equal names in the system; rename one of "
                         f"{', '.join(flying)}")
    return components, connections


def _resting(spec: Spec, names: Collection[str]) -> Spec:
    """The same scene with these objects at rest and without a mass, as bodies that no wrench moves."""
    def rest(body: Body) -> Body:
        still = replace(body, state=(*body.state[:7], *[0.0] * 6))
        return replace(still, mass=None, com=None, inertia=None) if body.mass is not None else still

    return replace(spec, bodies=tuple(rest(body) if body.name in names else body for body in spec.bodies))


def _component(name: str, model: Model, inputs: Collection[str], parameters: Collection[str],
               observed: str = "") -> Component:
    connectors = tuple(v for v in model.variables
                       if v.name in inputs or (v.causality == "output" and v.name.startswith(observed)))
    return Component(name, model, connectors, tuple(v for v in model.variables if v.name in parameters))


def _description(spec: Spec, components: Sequence[Component], connections: Sequence[Connection],
                 step: float) -> Element:
    for prefix, address in NAMESPACES.items():
        register_namespace(prefix, address)  # libcosim knows elements by these prefixes
    root = Element(_tag("ssd:SystemStructureDescription"), version="1.0", name=spec.name,
                   generationTool=f"contactlib {tool_version()}", generationDateAndTime=generation_date())
    system = SubElement(root, _tag("ssd:System"), name=flat_name(spec.name),
                        description=f"Contact of the scene {spec.name}, and the bodies that its wrenches move")
    elements = SubElement(system, _tag("ssd:Elements"))
    for part in components:
        elements.append(_component_element(part))
    lines = SubElement(system, _tag("ssd:Connections"))
    for link in connections:
        SubElement(lines, _tag("ssd:Connection"), startElement=link.source, startConnector=link.output,
                   endElement=link.sink, endConnector=link.input)
    _units(root, components)
    experiment = SubElement(root, _tag("ssd:DefaultExperiment"), startTime="0.0", stopTime=repr(spec.duration))
    notes = SubElement(experiment, _tag("ssd:Annotations"))
    note = SubElement(notes, _tag("ssc:Annotation"), type="com.opensimulationplatform")
    algorithm = SubElement(note, _tag("osp:Algorithm"))
    SubElement(algorithm, _tag("osp:FixedStepAlgorithm"), baseStepSize=repr(step))
    return root


def _component_element(part: Component) -> Element:
    element = Element(_tag("ssd:Component"), name=part.name, type="application/x-fmu-sharedlibrary",
                      source=part.source)
    connectors = SubElement(element, _tag("ssd:Connectors"))
    for variable in part.connectors:
        connector = SubElement(connectors, _tag("ssd:Connector"), name=variable.name, kind=variable.causality)
        connector.append(_typed("ssc", variable))
    bindings = SubElement(element, _tag("ssd:ParameterBindings"))
    values = SubElement(SubElement(bindings, _tag("ssd:ParameterBinding")), _tag("ssd:ParameterValues"))
    table = SubElement(values, _tag("ssv:ParameterSet"), version="1.0", name="initialValues")
    parameters = SubElement(table, _tag("ssv:Parameters"))
    for variable in part.parameters:
        parameter = SubElement(parameters, _tag("ssv:Parameter"), name=variable.name)
        parameter.append(_typed("ssv", variable))
    return element


def _typed(space: str, variable: Variable) -> Element:
    real = variable.type == "real"
    element = Element(_tag(f"{space}:{'Real' if real else 'Integer'}"))
    if real:
        element.set("unit", variable.unit)
    if space == "ssv":
        element.set("value", repr(variable.start) if real else str(int(variable.start)))
    return element


def _units(root: Element, components: Sequence[Component]) -> None:
    """Write the definitions of all units, in the order of their names."""
    used = {v.unit for part in components for v in (*part.connectors, *part.parameters) if v.type == "real"}
    units = SubElement(root, _tag("ssd:Units"))
    for unit, exponents in _with_exponents(sorted(used)):
        element = SubElement(units, _tag("ssc:Unit"), name=unit)
        SubElement(element, _tag("ssc:BaseUnit"), {base: str(exponent) for base, exponent in exponents.items()})


def _with_exponents(units: Sequence[str]) -> Iterator[tuple[str, dict[str, int]]]:
    for unit in units:
        yield unit, base_units(unit) or {}


def _tag(name: str) -> str:
    prefix, _, local = name.partition(":")
    return f"{{{NAMESPACES[prefix]}}}{local}"


def _to_bytes(root: Element) -> bytes:
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'.encode()
