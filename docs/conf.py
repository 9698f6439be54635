"""How the documentation is built: sphinx-build -W -b html docs build/site."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from sphinx_gallery.sorting import FileNameSortKey

# Pictures and selections do not depend on the number of threads, but their seconds do.
os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent / "extensions"))

import fewest

project = "fewest"
author = "the fewest developers"
project_copyright = author
version = release = fewest.__version__

extensions = [
    "myst_parser",
    "method_pages",
    "numpydoc",
    "plain_docstrings",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["gallery", "figures", "papers/measured", "extensions", "_templates"]
templates_path = ["_templates"]
suppress_warnings = ["config.cache"]  # the sort key of the gallery is a class

# Formulas stand in indented blocks, as text.
highlight_language = "none"
smartquotes = False
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "substitution"]
myst_heading_anchors = 4

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
default_role = "code"

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "stories",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"__init__\.py",
    "within_subsection_order": FileNameSortKey,
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_memory": False,
    "capture_repr": ("_repr_html_",),  # not what drawing returns
    "min_reported_time": 0,
    "plot_gallery": True,
    "abort_on_example_error": True,
    "matplotlib_animations": False,
}

html_theme = "furo"
html_title = "fewest"
html_static_path = ["_static"]
html_css_files = ["fewest.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0072b2", "color-brand-content": "#0072b2"},
    "dark_css_variables": {"color-brand-primary": "#56b4e9", "color-brand-content": "#56b4e9"},
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
