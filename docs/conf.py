"""Settings of Sphinx for the docs site. `make docs` builds it; docs/website writes the pages that Sphinx reads."""

from __future__ import annotations

import contactlib

project = "contactlib"
author = "contactlib developers"
copyright = "contactlib developers, MIT licence"
version = release = contactlib.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "docs.website.fields"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["**/out/**"]
# a word in single backticks of a docstring is code
default_role = "code"
highlight_language = "text"

# anchors of headings as GitHub and GitLab make them
myst_heading_anchors = 6
myst_enable_extensions = ["colon_fence", "attrs_inline"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "undoc-members": True}
autodoc_preserve_defaults = True
# arrays of the annotations
autodoc_type_aliases = {"Floats": "numpy.ndarray", "States": "ArrayLike or dict"}
numpydoc_show_class_members = False

nitpicky = True
# two public classes have the name Model: an annotation may mean either
suppress_warnings = ["ref.python"]
# names that this site does not document: those of Python and of other packages, whose pages are elsewhere, and the
# short names of types in annotations
nitpick_ignore_regex = [
    ("py:.*", r"(collections|contextlib|enum|os|pathlib|typing)(\..*)?"),
    ("py:.*", r"(numpy|np|scipy|matplotlib|mujoco|pydrake|Basilisk|trimesh|lark)(\..*)?"),
    ("py:.*", r"[A-Z]\w*|[a-z_]+"),
    ("py:.*", r"contactlib\._core\..*"),
    # internal modules whose names appear in annotations of public functions
    ("py:.*", r"contactlib\.\w+\.\w+\.\w+"),
]

html_theme = "pydata_sphinx_theme"
html_title = "contactlib"
html_static_path = ["website/static"]
html_extra_path = ["../out/docs/extra"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "navbar_end": ["theme-switcher"],
    "show_prev_next": True,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "back_to_top_button": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
# pages of one column, without a list of other pages
html_sidebars = {"index": [], "docs/concepts": []}
