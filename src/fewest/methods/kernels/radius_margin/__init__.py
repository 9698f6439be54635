"""The radius-margin bound and R2W2: objectives, their quadratic programs, selectors."""
