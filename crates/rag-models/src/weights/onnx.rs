//! Weights in ONNX exports of BERT-family models, float or dynamic int8.
//!
//! Exports rename the matrices of linear layers (`onnx::MatMul_1662`), but keep the module path in the name
//! of the node that multiplies by them, so names come from there. Such matrices are stored `[in, out]`;
//! safetensors has `[out, in]`. Quantised tensors are `name_quantized` with `name_scale` and
//! `name_zero_point`, one of each per tensor or per column.

use std::collections::HashMap;
use std::path::Path;

use prost::Message;

use super::half_float::f16_to_f32;
use super::onnx_proto::{ModelProto, NodeProto, TensorProto, data_type};
use super::{Loaded, WeightsError, canonical_name, element_count, tensor_of};

const QUANTIZED: &str = "_quantized";

/// Reads the encoder's tensors as f32.
pub(super) fn load(path: &Path, bytes: &[u8]) -> Result<Loaded, WeightsError> {
    let model = ModelProto::decode(bytes).map_err(|error| malformed(path, error.to_string()))?;
    let graph = model
        .graph
        .ok_or_else(|| malformed(path, "it has no graph".into()))?;
    let reader = Reader {
        path,
        initializers: graph
            .initializer
            .iter()
            .map(|tensor| (tensor.name.as_str(), tensor))
            .collect(),
    };
    let mut loaded = Loaded::default();
    let mut used = Vec::new();
    for node in &graph.node {
        let Some(matrix) = multiplied_matrix(node).filter(|name| reader.initializers.contains_key(name))
        else {
            continue;
        };
        let Some(name) = layer_name(&node.name) else {
            continue;
        };
        let (values, shape) = reader.read(matrix)?;
        let [rows, columns] = shape[..] else {
            return Err(malformed(path, format!("`{matrix}` is not a matrix")));
        };
        // A Gemm node stores its matrix as safetensors does, unless the quantiser turned it.
        let (values, shape) = if node.op_type == "Gemm" {
            (values, [rows, columns])
        } else {
            (transpose(&values, rows, columns), [columns, rows])
        };
        loaded
            .tensors
            .insert(name.clone(), tensor_of(path, &name, values, &shape)?);
        used.push(matrix);
    }
    for &name in reader.initializers.keys() {
        let plain = name.strip_suffix(QUANTIZED).unwrap_or(name);
        let Some(canonical) = canonical_name(plain).filter(|_| !used.contains(&name)) else {
            continue;
        };
        if loaded.tensors.contains_key(canonical) {
            continue;
        }
        let (values, shape) = reader.read(name)?;
        loaded
            .tensors
            .insert(canonical.to_owned(), tensor_of(path, name, values, &shape)?);
    }
    Ok(loaded)
}

/// The constant that a multiplication node takes as its right side.
fn multiplied_matrix(node: &NodeProto) -> Option<&str> {
    let multiplies = ["MatMul", "MatMulInteger", "Gemm"].contains(&node.op_type.as_str());
    node.input.get(1).filter(|_| multiplies).map(String::as_str)
}

/// `/bert/encoder/layer.0/output/dense/MatMul_quant` → `encoder.layer.0.output.dense.weight`.
fn layer_name(node: &str) -> Option<String> {
    let (module, operation) = node.trim_start_matches('/').rsplit_once('/')?;
    if !(operation.starts_with("MatMul") || operation.starts_with("Gemm")) {
        return None;
    }
    let name = format!("{}.weight", module.replace('/', "."));
    canonical_name(&name).map(str::to_owned)
}

fn transpose(values: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    let mut turned = Vec::with_capacity(values.len());
    for column in 0..columns {
        turned.extend((0..rows).map(|row| values[row * columns + column]));
    }
    turned
}

/// Constants by name.
struct Reader<'g> {
    path: &'g Path,
    initializers: HashMap<&'g str, &'g TensorProto>,
}

impl Reader<'_> {
    /// Numbers and shape of the constant `name`, dequantised if it is quantised.
    fn read(&self, name: &str) -> Result<(Vec<f32>, Vec<usize>), WeightsError> {
        let tensor = self.find(name)?;
        let shape = self.shape(tensor)?;
        let mut values = self.numbers(tensor)?;
        let Some(base) = name.strip_suffix(QUANTIZED) else {
            return Ok((values, shape));
        };
        let scales = self.numbers(self.find(&format!("{base}_scale"))?)?;
        let zeros = self.numbers(self.find(&format!("{base}_zero_point"))?)?;
        let columns = shape.last().copied().unwrap_or(1);
        for (what, list) in [("scales", &scales), ("zero points", &zeros)] {
            if list.len() != 1 && list.len() != columns {
                let count = list.len();
                return Err(malformed(
                    self.path,
                    format!("`{name}` has {count} {what} for {columns} columns"),
                ));
            }
        }
        let per_column = |list: &[f32], column: usize| list[if list.len() == 1 { 0 } else { column }];
        for row in values.chunks_exact_mut(columns.max(1)) {
            for (column, value) in row.iter_mut().enumerate() {
                *value = (*value - per_column(&zeros, column)) * per_column(&scales, column);
            }
        }
        Ok((values, shape))
    }

    fn find(&self, name: &str) -> Result<&TensorProto, WeightsError> {
        let found = self.initializers.get(name).copied();
        found.ok_or_else(|| WeightsError::MissingTensor {
            path: self.path.to_owned(),
            tensor: name.to_owned(),
        })
    }

    fn shape(&self, tensor: &TensorProto) -> Result<Vec<usize>, WeightsError> {
        let shape: Vec<usize> = tensor
            .dims
            .iter()
            .map(|&side| usize::try_from(side).unwrap_or(usize::MAX))
            .collect();
        element_count(self.path, &tensor.name, &shape)?;
        Ok(shape)
    }

    /// The constant's numbers as they are stored, without scale and zero point.
    fn numbers(&self, tensor: &TensorProto) -> Result<Vec<f32>, WeightsError> {
        if tensor.data_location != 0 {
            let reason = format!("`{}` lies in another file, which is not supported", tensor.name);
            return Err(malformed(self.path, reason));
        }
        let raw = &tensor.raw_data[..];
        let values: Vec<f32> = match (tensor.data_type, raw.is_empty()) {
            (data_type::FLOAT, true) => tensor.float_data.clone(),
            (data_type::FLOAT, false) => {
                let words = raw.as_chunks::<4>().0.iter();
                words.map(|&word| f32::from_le_bytes(word)).collect()
            }
            (data_type::FLOAT16, false) => {
                let words = raw.as_chunks::<2>().0.iter();
                words.map(|&word| f16_to_f32(u16::from_le_bytes(word))).collect()
            }
            (data_type::UINT8 | data_type::INT8, true) => {
                tensor.int32_data.iter().map(|&value| value as f32).collect()
            }
            (data_type::UINT8, false) => raw.iter().map(|&byte| f32::from(byte)).collect(),
            (data_type::INT8, false) => raw.iter().map(|&byte| f32::from(byte.cast_signed())).collect(),
            (other, _) => {
                let reason = format!("`{}` has data type {other}, which is not supported", tensor.name);
                return Err(malformed(self.path, reason));
            }
        };
        let expected = element_count(self.path, &tensor.name, &self.shape(tensor)?)?;
        if values.len() != expected {
            let reason = format!("`{}` has {} of {expected} numbers", tensor.name, values.len());
            return Err(malformed(self.path, reason));
        }
        Ok(values)
    }
}

fn malformed(path: &Path, reason: String) -> WeightsError {
    WeightsError::Malformed {
        path: path.to_owned(),
        format: "ONNX",
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::onnx_proto::GraphProto;

    fn tensor(name: &str, dims: &[i64], data_type: i32, raw: &[u8]) -> TensorProto {
        TensorProto {
            dims: dims.to_vec(),
            data_type,
            name: name.into(),
            raw_data: raw.to_vec(),
            ..TensorProto::default()
        }
    }

    fn node(op_type: &str, name: &str, matrix: &str) -> NodeProto {
        NodeProto {
            input: vec!["x".into(), matrix.into()],
            name: name.into(),
            op_type: op_type.into(),
        }
    }

    fn file(nodes: Vec<NodeProto>, tensors: Vec<TensorProto>) -> Vec<u8> {
        let graph = GraphProto {
            node: nodes,
            initializer: tensors,
        };
        ModelProto { graph: Some(graph) }.encode_to_vec()
    }

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn loaded(bytes: &[u8], name: &str) -> Vec<Vec<f32>> {
        let loaded = load(Path::new("model.onnx"), bytes).unwrap();
        loaded.tensors[name].to_vec2().unwrap()
    }

    #[test]
    fn matrices_get_their_name_from_the_node_and_are_turned() {
        let matrix = "onnx::MatMul_7";
        let bytes = file(
            vec![node(
                "MatMul",
                "/bert/encoder/layer.0/output/dense/MatMul",
                matrix,
            )],
            vec![tensor(
                matrix,
                &[2, 3],
                data_type::FLOAT,
                &floats(&[1., 2., 3., 4., 5., 6.]),
            )],
        );
        assert_eq!(
            loaded(&bytes, "encoder.layer.0.output.dense.weight"),
            [[1., 4.], [2., 5.], [3., 6.]]
        );
    }

    #[test]
    fn int8_matrices_are_dequantised_per_tensor_and_per_column() {
        let name = "/encoder/layer.1/intermediate/dense/MatMul_quant";
        for (scales, zeros, expected) in [
            (vec![0.5], vec![1i8], [[0., 1.], [0.5, 1.5]]),
            (vec![0.5, 2.0], vec![0, 1], [[0.5, 1.5], [2., 6.]]),
        ] {
            let columns = scales.len() as i64;
            let zero_bytes: Vec<u8> = zeros.iter().map(|zero| zero.cast_unsigned()).collect();
            let tensors = vec![
                tensor("m_quantized", &[2, 2], data_type::INT8, &[1, 2, 3, 4]),
                tensor("m_scale", &[columns], data_type::FLOAT, &floats(&scales)),
                tensor("m_zero_point", &[columns], data_type::INT8, &zero_bytes),
            ];
            let bytes = file(vec![node("MatMulInteger", name, "m_quantized")], tensors);
            assert_eq!(
                loaded(&bytes, "encoder.layer.1.intermediate.dense.weight"),
                expected
            );
        }
    }

    #[test]
    fn quantised_embeddings_keep_their_place() {
        let tensors = vec![
            tensor(
                "bert.embeddings.word_embeddings.weight_quantized",
                &[2, 2],
                data_type::UINT8,
                &[0, 128, 255, 130],
            ),
            tensor(
                "bert.embeddings.word_embeddings.weight_scale",
                &[],
                data_type::FLOAT,
                &floats(&[0.1]),
            ),
            tensor(
                "bert.embeddings.word_embeddings.weight_zero_point",
                &[],
                data_type::UINT8,
                &[128],
            ),
        ];
        let rows = loaded(&file(vec![], tensors), "embeddings.word_embeddings.weight");
        assert_eq!(rows, [[-12.8, 0.0], [12.7, 0.2]]);
    }

    #[test]
    fn damaged_constants_are_errors() {
        let name = "embeddings.LayerNorm.weight";
        for (bad, part) in [
            (tensor(name, &[3], data_type::FLOAT, &floats(&[1.0])), "1 of 3"),
            (
                tensor(name, &[-1], data_type::FLOAT, &floats(&[1.0])),
                "larger than the limit",
            ),
            (tensor(name, &[1], 9, &[1]), "data type 9"),
            (
                TensorProto {
                    data_location: 1,
                    ..tensor(name, &[1], data_type::FLOAT, &[])
                },
                "another file",
            ),
        ] {
            let bytes = file(vec![], vec![bad]);
            let error = load(Path::new("model.onnx"), &bytes).err().unwrap().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
