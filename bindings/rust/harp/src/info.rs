//! What is known about an array before it has values: dtype and sizes.
use crate::digest::Digest;
use crate::expr::Expr;
use crate::generated::codes::DType;

#[derive(Debug)]
pub(crate) struct Info {
    dtype: DType,
    dims: Box<[Expr]>,
    /// `dims` as numbers; -1 for a symbolic size.
    sizes: Box<[i64]>,
    is_symbolic: bool,
    digest: Digest,
}

impl Info {
    pub(crate) fn new(dtype: DType, dims: Vec<Expr>) -> Info {
        let sizes = dims.iter().map(|dim| dim.value().unwrap_or(-1)).collect();
        let is_symbolic = dims.iter().any(|dim| dim.value().is_none());
        let digest = Digest::of_kind(1).with(dtype as u64).with_hash(&dims);
        Info { dtype, dims: dims.into(), sizes, is_symbolic, digest }
    }

    pub(crate) fn dtype(&self) -> DType {
        self.dtype
    }
    pub(crate) fn dims(&self) -> &[Expr] {
        &self.dims
    }
    pub(crate) fn sizes(&self) -> &[i64] {
        &self.sizes
    }
    /// Reports whether a size is symbolic.
    pub(crate) fn is_symbolic(&self) -> bool {
        self.is_symbolic
    }
    /// The digest of dtype and sizes.
    pub(crate) fn digest(&self) -> Digest {
        self.digest
    }

    /// The number of elements; None if a size is symbolic, or if the product does not fit.
    pub(crate) fn element_count(&self) -> Option<usize> {
        self.sizes.iter().try_fold(1usize, |count, &size| count.checked_mul(usize::try_from(size).ok()?))
    }

    pub(crate) fn byte_size(&self) -> Option<usize> {
        self.element_count()?.checked_mul(self.dtype.size())
    }

    /// "[2, 3]"
    pub(crate) fn shape_text(&self) -> String {
        let sizes: Vec<String> = self.dims.iter().map(Expr::to_string).collect();
        format!("[{}]", sizes.join(", "))
    }
}
