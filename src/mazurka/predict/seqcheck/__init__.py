"""SeqCheck (Cai, Yun, Wang, Qiao, Palsberg, "Sound and Efficient Concurrency Bug Prediction", ESEC/FSE 2021)."""
