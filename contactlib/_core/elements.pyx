# the element table. included by engine.pyx.

cdef tuple element_variables(core.ElementVariables variables):
    return tuple([(parameter_row(variables.rows[i].parameter), bool(variables.rows[i].each))
                  for i in range(variables.count)])


def element_table():
    """Rows of the element table: name, then parameters, commands and outputs, with whether every port has its own."""
    return [(core.element_rows()[i].name.decode(), element_variables(core.element_rows()[i].parameters),
             element_variables(core.element_rows()[i].commands), element_variables(core.element_rows()[i].outputs))
            for i in range(core.element_row_count)]
