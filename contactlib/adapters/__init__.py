"""Contact in other simulators: one module for each, imported by its name, such as `contactlib.adapters.mujoco`.

Each module needs the extra of the same name: `pip install 'contactlib[mujoco]'`.
"""
