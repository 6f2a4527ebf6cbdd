# The kinds of elements. Included by engine.pyx.

cdef tuple element_variables(core.ElementVariables variables):
    return tuple([(parameter_row(variables.rows[i].parameter), bool(variables.rows[i].per_port))
                  for i in range(variables.count)])


cdef tuple element_row(const core.ElementRow* row):
    return (row.name.decode(), element_variables(row.parameters), element_variables(row.commands),
            element_variables(row.outputs))


def element_table():
    """Return the registered kinds of elements, sorted by name.

    A row holds the name and the variables of the parameters, commands and outputs; each variable is
    (parameter row, whether every port has a value of its own).
    """
    cdef core.ElementRows table = core.element_rows()
    return [element_row(table.rows[i]) for i in range(table.count)]


def four_bar(bars, double angle):
    """Angles of coupler and rocker (rad) and their derivatives with respect to the angle of the crank.

    bars: ground, crank, coupler, rocker (m), and the branch, 1.0 or -1.0. None where the linkage does not reach.
    """
    cdef core.FourBar given
    cdef core.FourBarPose pose
    given.ground, given.crank, given.coupler, given.rocker, given.branch = bars
    if not core.solve_four_bar(given, angle, pose):
        return None
    return pose.coupler, pose.rocker, pose.coupler_rate, pose.rocker_rate
