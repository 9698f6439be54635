"""What can be said of any selector's answer: stability selection and knockoffs."""
