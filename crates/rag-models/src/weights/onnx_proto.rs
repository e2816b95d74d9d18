//! The few messages and fields of ONNX files that weights need, by their published field numbers
//! (onnx.proto, IR version 10). Unknown fields are skipped by the decoder.

/// A whole file.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ModelProto {
    #[prost(message, optional, tag = "7")]
    pub(super) graph: Option<GraphProto>,
}

/// The computation: operations and constant tensors.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct GraphProto {
    #[prost(message, repeated, tag = "1")]
    pub(super) node: Vec<NodeProto>,
    #[prost(message, repeated, tag = "5")]
    pub(super) initializer: Vec<TensorProto>,
}

/// One operation.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct NodeProto {
    #[prost(string, repeated, tag = "1")]
    pub(super) input: Vec<String>,
    #[prost(string, tag = "3")]
    pub(super) name: String,
    #[prost(string, tag = "4")]
    pub(super) op_type: String,
}

/// One constant tensor; its numbers are in `raw_data` or in one of the typed lists.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct TensorProto {
    #[prost(int64, repeated, tag = "1")]
    pub(super) dims: Vec<i64>,
    #[prost(int32, tag = "2")]
    pub(super) data_type: i32,
    #[prost(float, repeated, tag = "4")]
    pub(super) float_data: Vec<f32>,
    #[prost(int32, repeated, tag = "5")]
    pub(super) int32_data: Vec<i32>,
    #[prost(string, tag = "8")]
    pub(super) name: String,
    #[prost(bytes = "vec", tag = "9")]
    pub(super) raw_data: Vec<u8>,
    #[prost(int32, tag = "14")]
    pub(super) data_location: i32,
}

/// `TensorProto.DataType` values that weights use.
pub(super) mod data_type {
    pub(in super::super) const FLOAT: i32 = 1;
    pub(in super::super) const UINT8: i32 = 2;
    pub(in super::super) const INT8: i32 = 3;
    pub(in super::super) const FLOAT16: i32 = 10;
}
