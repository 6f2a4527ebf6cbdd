# A compiled scene. Included by engine.pyx.

cdef tuple CAUSALITIES = ("input", "output", "parameter")
cdef tuple TYPES = ("real", "integer")


cdef class Model:
    """A compiled scene, read from the bytes that `contactlib.model.compile_scene` writes."""

    cdef core.Model model
    cdef vector[core.Variable] table
    cdef bytes content

    def __init__(self, bytes content not None):
        cdef core.Status status = core.read_model(
            <const unsigned char*>PyBytes_AsString(content), len(content), self.model)
        self.raise_if_bad(status)
        self.table = core.variables(self.model)
        self.content = content

    cdef int raise_if_bad(self, core.Status status) except -1:
        if status.code == core.Code.ok:
            return 0
        if status.code == core.Code.out_of_memory:
            raise MemoryError(core.describe(status, self.model).decode())
        raise ValueError(core.describe(status, self.model).decode())

    def to_bytes(self):
        return self.content

    def __reduce__(self):
        return Model, (self.content,)

    @property
    def hash(self):
        return self.model.hash.decode()

    @property
    def name(self):
        return self.model.name.decode()

    @property
    def step_size(self):
        return self.model.options.step_size

    @property
    def auto_step(self):
        return self.model.options.auto_step

    @property
    def duration(self):
        return self.model.options.duration

    @property
    def body_names(self):
        return tuple(self.model.bodies[i].name.decode() for i in range(self.model.bodies.size()))

    @property
    def law_names(self):
        return tuple(self.model.laws[i].name.decode() for i in range(self.model.laws.size()))

    @property
    def motions(self):
        names = ("external", "driven", "free", "fixed")
        return tuple(names[<int>self.model.bodies[i].motion] for i in range(self.model.bodies.size()))

    cdef tuple ignored_rows(self, size_t pair):
        return tuple([row for row in range(core.shape_kinds * core.shape_kinds)
                      if self.model.pairs[pair].ignores(row)])

    @property
    def pairs(self):
        """Bodies A and B of every pair of bodies that the scene names, and the rows of the pair table it ignores."""
        return tuple((self.model.pairs[i].a, self.model.pairs[i].b, self.ignored_rows(i))
                     for i in range(self.model.pair_index.named))

    @property
    def pair_rules(self):
        """Every rule for the pairs that the scene does not name: classes A and B of bodies, whether it is for bodies of
        one object or of different objects, and the rows of the pair table that it ignores."""
        rules = self.model.pair_index.rules
        return tuple((self.model.pairs[rules[i].pair].a, self.model.pairs[rules[i].pair].b, bool(rules[i].key & 1),
                      self.ignored_rows(rules[i].pair)) for i in range(rules.size()))

    @property
    def pair_classes(self):
        """The class of every body, -1 if no rule concerns it, and its object."""
        return tuple(self.model.pair_index.class_of), tuple(self.model.pair_index.object_of)

    def find_pair(self, int32_t one, int32_t other):
        """Bodies A and B of the pair of two bodies, and the rows of the pair table that it ignores, or None."""
        cdef core.BodyPair found
        if one == other or min(one, other) < 0 or <size_t>max(one, other) >= self.model.bodies.size():
            return None
        found = self.model.pair_index.find(self.model.pairs, one, other)
        return None if found.pair < 0 else (found.body_a, found.body_b, self.ignored_rows(found.pair))

    @property
    def elements(self):
        """Name, name of the row, number of ports, and bodies (-1: the world) of every element."""
        return tuple((self.model.elements[i].name.decode(), self.model.elements[i].row.name.decode(),
                      self.model.elements[i].ports, tuple(self.model.elements[i].bodies))
                     for i in range(self.model.elements.size()))

    @property
    def element_links(self):
        """The other elements whose outputs an element reads, or to which it gives orders, by index."""
        return tuple(tuple(self.model.elements[i].watches) + tuple(self.model.elements[i].leads)
                     for i in range(self.model.elements.size()))

    @property
    def load_readers(self):
        """Whether each element reads contacts or other loads of bodies that it does not drive."""
        return tuple(self.model.elements[i].row.reads_loads for i in range(self.model.elements.size()))

    @property
    def state_readers(self):
        """Whether each element reads the states of bodies that are not its own."""
        return tuple(self.model.elements[i].row.reads_states for i in range(self.model.elements.size()))

    @property
    def user_laws(self):
        """Number, name, properties and memory width of every user law: numbers of vectors and of scalars."""
        return tuple((i, self.model.laws[i].name.decode(), self.model.laws[i].user_laws.decode(),
                      self.model.laws[i].tangents, self.model.laws[i].numbers)
                     for i in range(self.model.laws.size()) if self.model.laws[i].is_user_law())

    @property
    def own_width(self):
        """Largest memory width of a user law, in numbers per contact."""
        return self.model.own_width

    @property
    def shapes(self):
        """Body and kind of every shape, by index."""
        return tuple((self.model.shapes[i].body, <int>self.model.shapes[i].kind)
                     for i in range(self.model.shapes.size()))

    @property
    def reference_areas(self):
        """m2, by shape: of its largest flat face, or that of its compound; 0 without one, infinite for a plane."""
        return tuple(self.model.shapes[i].reference_area for i in range(self.model.shapes.size()))

    def has_field(self, int32_t shape_a, int32_t shape_b):
        """Whether the first of two shapes has the extent field of their surface contact; else the other one has it."""
        self._check_shapes(shape_a, shape_b)
        return core.has_field(self.model.shapes[shape_a], self.model.shapes[shape_b])

    def _check_shapes(self, int32_t shape_a, int32_t shape_b):
        count = self.model.shapes.size()
        if min(shape_a, shape_b) < 0 or max(shape_a, shape_b) >= count:
            raise IndexError(f"shapes {shape_a} and {shape_b}: must be from 0 to {count - 1}")

    def find_law(self, int32_t shape_a, int32_t shape_b):
        """Number of the law of two shapes, or -1 if their bodies are no pair."""
        self._check_shapes(shape_a, shape_b)
        cdef core.Shape* A = &self.model.shapes[shape_a]
        cdef core.Shape* B = &self.model.shapes[shape_b]
        found = self.model.pair_index.find(self.model.pairs, A.body, B.body)
        if A.body == B.body or found.pair < 0:
            return -1
        return self.model.law_index(self.model.pairs[found.pair], deref(A), deref(B))

    def normal_force(self, int law, double area, double depth, double depth_rate=0.0):
        """N, of the normal law of a law with its start values; area: m2, of the face of a surface contact."""
        if law < 0 or <size_t>law >= self.model.laws.size():
            raise IndexError(f"law {law}: must be from 0 to {self.model.laws.size() - 1}")
        return core.normal_force(self.model.laws[law], self.model.laws[law].parameters, area, depth, depth_rate)

    @property
    def contact_capacity(self):
        return self.model.contact_capacity

    def variables(self):
        """Rows of the variable table: name, unit, description, causality, type, tunable, start, minimum."""
        return [(v.name.decode(), v.unit.decode(), v.description.decode(), CAUSALITIES[<int>v.causality],
                 TYPES[<int>v.type], v.tunable, v.start + (v.choices > 0), v.minimum)
                for v in self.table]


def longest_step(double w2, double d, bint rk4):
    """s, that is stable for a contact: w2 = k/m (1/s2) and d = c/m (1/s), m the reduced mass."""
    return core.longest_step(w2, d, rk4)
