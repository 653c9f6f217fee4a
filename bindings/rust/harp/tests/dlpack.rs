//! DLPack arrays as buffers and buffers as DLPack arrays.
use harp::dlpack::{DLManagedTensor, DLManagedTensorVersioned, READ_ONLY};
use harp::{Buffer, DType, ErrorKind, Tensor};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// An array as another library would make it: bytes, and a deleter that counts its calls.
struct Theirs {
    managed: DLManagedTensorVersioned,
    elements: Vec<u64>,
    shape: Vec<i64>,
    strides: Vec<i64>,
    deleted: Arc<AtomicUsize>,
}

unsafe extern "C" fn delete(managed: *mut DLManagedTensorVersioned) {
    let theirs = Box::from_raw((*managed).manager.cast::<Theirs>());
    theirs.deleted.fetch_add(1, Ordering::SeqCst);
}

/// Makes an array of elements with this DLPack type code and this number of bits, on words of memory.
fn theirs(elements: Vec<u64>, code: u8, bits: u8, shape: &[i64], strides: &[i64]) -> (*mut DLManagedTensorVersioned, Arc<AtomicUsize>) {
    let deleted = Arc::new(AtomicUsize::new(0));
    let mut made = Box::new(Theirs {
        managed: unsafe { std::mem::zeroed() },
        elements,
        shape: shape.to_vec(),
        strides: strides.to_vec(),
        deleted: deleted.clone(),
    });
    made.managed.major = 1;
    made.managed.deleter = Some(delete);
    made.managed.tensor.data = made.elements.as_mut_ptr().cast();
    made.managed.tensor.device_type = 1;
    made.managed.tensor.ndim = shape.len() as i32;
    made.managed.tensor.code = code;
    made.managed.tensor.bits = bits;
    made.managed.tensor.lanes = 1;
    made.managed.tensor.shape = made.shape.as_mut_ptr();
    made.managed.tensor.strides = made.strides.as_mut_ptr();
    let raw = Box::into_raw(made);
    unsafe {
        (*raw).managed.manager = raw.cast();
        (&mut (*raw).managed, deleted)
    }
}

#[test]
fn arrays_come_in_without_a_copy_and_are_deleted_once() {
    let (managed, deleted) = theirs(vec![1, 2, 3, 4, 5, 6], 0, 64, &[2, 3], &[3, 1]);
    let place = unsafe { (*managed).tensor.data as *const i64 };
    let buffer = unsafe { Buffer::from_dlpack_versioned(managed) }.unwrap();
    assert_eq!((buffer.dtype(), buffer.shape()), (DType::I64, vec![2, 3]));
    assert_eq!(buffer.as_slice::<i64>().unwrap().as_ptr(), place);
    let x = Tensor::<i64>::from_buffer(&buffer).unwrap();
    let sum = x.sum(0, false);
    let copy = buffer.clone();
    drop(buffer);
    assert_eq!(sum.to_vec().unwrap(), [5, 7, 9]);
    assert_eq!(x.to_vec().unwrap(), [1, 2, 3, 4, 5, 6]);
    drop((x, sum));
    assert_eq!(deleted.load(Ordering::SeqCst), 0);
    // Another thread converts the array to a vector, which is a copy.
    let vector = std::thread::spawn(move || copy.into_vec::<i64>().unwrap()).join().unwrap();
    assert_eq!(vector, [1, 2, 3, 4, 5, 6]);
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
}

#[test]
fn what_does_not_fit_stays_the_callers() {
    for (code, bits, strides, kind) in
        [(0, 64, [1, 2], ErrorKind::Unsupported), (2, 8, [2, 1], ErrorKind::Dtype), (0, 32, [9, 1], ErrorKind::Unsupported)]
    {
        let (managed, deleted) = theirs(vec![0; 20], code, bits, &[2, 2], &strides);
        assert_eq!(unsafe { Buffer::from_dlpack_versioned(managed) }.unwrap_err().kind(), kind);
        assert_eq!(deleted.load(Ordering::SeqCst), 0);
        unsafe { delete(managed) };
    }
}

#[test]
fn bools_of_other_libraries_become_rusts() {
    let (managed, deleted) = theirs(vec![u64::from_ne_bytes([0, 1, 2, 255, 0, 0, 7, 1])], 6, 8, &[8], &[1]);
    let buffer = unsafe { Buffer::from_dlpack_versioned(managed) }.unwrap();
    assert_eq!(buffer.as_slice::<bool>().unwrap(), [false, true, true, true, false, false, true, true]);
    assert_eq!(deleted.load(Ordering::SeqCst), 1, "it was copied");
    let (managed, deleted) = theirs(vec![u64::from_ne_bytes([0, 1, 0, 1, 0, 0, 1, 1])], 6, 8, &[8], &[1]);
    let buffer = unsafe { Buffer::from_dlpack_versioned(managed) }.unwrap();
    assert!(buffer.as_slice::<bool>().unwrap()[1]);
    assert_eq!(deleted.load(Ordering::SeqCst), 0);
}

#[test]
fn arrays_without_elements_and_of_rank_0() {
    let (managed, deleted) = theirs(vec![], 2, 32, &[0, 4], &[4, 1]);
    unsafe { (*managed).tensor.data = std::ptr::null_mut() };
    let buffer = unsafe { Buffer::from_dlpack_versioned(managed) }.unwrap();
    assert_eq!(buffer.as_slice::<f32>().unwrap(), []);
    assert_eq!(buffer.to_vec::<f32>().unwrap(), []);
    assert_eq!((Tensor::<f32>::from_buffer(&buffer).unwrap() + 1.0).shape(), [0, 4]);
    drop(buffer);
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
    let (managed, _) = theirs(vec![1.5f64.to_bits()], 2, 64, &[], &[]);
    let buffer = unsafe { Buffer::from_dlpack_versioned(managed) }.unwrap();
    assert_eq!(buffer.as_slice::<f64>().unwrap(), [1.5]);
}

#[test]
fn buffers_go_out_read_only_and_outlive_this_side() {
    let x = Tensor::from_vec(vec![1.0f32, 2.0, 3.0, 4.0], [2, 2]).realize().unwrap();
    let place = x.as_slice::<f32>().unwrap().as_ptr();
    let packed = x.to_dlpack_versioned().unwrap();
    drop(x);
    let managed = packed.into_raw();
    unsafe {
        let tensor = &(*managed).tensor;
        assert_eq!(((*managed).flags, tensor.ndim, tensor.code, tensor.bits), (READ_ONLY, 2, 2, 32));
        assert_eq!(tensor.data as *const f32, place);
        assert_eq!(*(tensor.data as *const f32).add(3), 4.0);
        (*managed).deleter.unwrap()(managed);
    }
}

#[test]
fn the_form_without_a_version_may_be_written() {
    let write = |packed: harp::dlpack::DlPack<DLManagedTensor>| unsafe {
        let managed = packed.into_raw();
        let data = (*managed).tensor.data as *mut f32;
        *data = 9.0;
        (data as *const f32, Buffer::from_dlpack(managed).unwrap())
    };
    let x = Tensor::from_vec(vec![1.0f32, 2.0], [2]).realize().unwrap();
    let place = x.as_slice::<f32>().unwrap().as_ptr();
    let shared = x.clone();
    let (at, copied) = write(x.into_dlpack().unwrap());
    assert_ne!(at, place, "another buffer has the array");
    assert_eq!(copied.as_slice::<f32>().unwrap(), [9.0, 2.0]);
    assert_eq!(shared.as_slice::<f32>().unwrap(), [1.0, 2.0]);
    let (at, moved) = write(shared.into_dlpack().unwrap());
    assert_eq!(at, place);
    assert_eq!(moved.as_slice::<f32>().unwrap(), [9.0, 2.0]);
    // An array that came from another library is not passed on as writable.
    let (managed, deleted) = theirs(vec![1, 2], 1, 64, &[2], &[1]);
    let packed = unsafe { Buffer::from_dlpack_versioned(managed) }.unwrap().into_dlpack().unwrap();
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
    drop(packed);
}

/// A sum over arrays of 64 MiB each that nothing else refers to: most of them are freed before the sum is computed.
#[test]
fn pending_arrays_are_bounded() {
    const WORDS: usize = 8 << 20;
    let large = || {
        let (managed, deleted) = theirs(vec![0; WORDS], 1, 64, &[WORDS as i64], &[1]);
        (unsafe { Buffer::from_dlpack_versioned(managed) }.unwrap(), deleted)
    };
    let (kept, _) = large();
    let mut sum = Tensor::<u64>::from_vec(vec![1], [1]);
    let mut counts = Vec::new();
    for turn in 0..20 {
        let (buffer, deleted) = large();
        let own = Tensor::<u64>::from_buffer(&buffer).unwrap();
        let shared = Tensor::<u64>::from_buffer(&kept).unwrap();
        drop(buffer);
        let first = |x: Tensor<u64>| x.slice(None, Some([1].into()), None);
        sum = sum + first(own) + first(shared);
        counts.push(deleted);
        let gone = counts.iter().map(|count| count.load(Ordering::SeqCst)).sum::<usize>();
        assert!(counts.len() - gone <= 8, "{} arrays are pending after turn {}", counts.len() - gone, turn);
        // The trace is computed when the arrays that only it keeps alive exceed half a GiB: eight of the large ones, together with the
        // small first one. Arrays that something else keeps alive do not count.
        assert_eq!(gone == 0, turn < 7, "after turn {}", turn);
    }
    assert_eq!(sum.item().unwrap(), 1);
}
