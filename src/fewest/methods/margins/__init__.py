"""SVM margins: non-monotonic MKL, SVM-RFE, SVM weights, L0, L1 and concave SVMs."""
