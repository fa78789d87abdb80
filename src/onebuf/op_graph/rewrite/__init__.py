"""Operations that a device lacks, in terms of simpler ones."""
