"""Operations on buffers with a layout: done on the stored elements alone, where that is proven."""
