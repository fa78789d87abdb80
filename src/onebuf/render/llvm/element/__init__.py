"""Operations on values in registers: one element or one vector of them."""
