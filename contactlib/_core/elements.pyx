# the element table. included by engine.pyx.

cdef tuple element_variables(core.ElementVariables variables):
    return tuple([(parameter_row(variables.rows[i].parameter), bool(variables.rows[i].each))
                  for i in range(variables.count)])


def element_table():
    """Rows of the element table: name, then parameters, commands and outputs, with whether every port has its own."""
    return [(core.element_rows()[i].name.decode(), element_variables(core.element_rows()[i].parameters),
             element_variables(core.element_rows()[i].commands), element_variables(core.element_rows()[i].outputs))
            for i in range(core.element_row_count)]


def four_bar(bars, double angle):
    """Angles of coupler and rocker (rad), and how fast they turn for each rad of the crank, at an angle of the crank.

    bars: ground, crank, coupler, rocker (m), and the branch, 1.0 or -1.0. None where the linkage does not reach.
    """
    cdef core.FourBar given
    cdef core.FourBarPose pose
    given.ground, given.crank, given.coupler, given.rocker, given.branch = bars
    if not core.solve_four_bar(given, angle, pose):
        return None
    return pose.coupler, pose.rocker, pose.coupler_rate, pose.rocker_rate
