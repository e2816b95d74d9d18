//! scratch
use rag_core::{
    access::*, artifact::*, filter::Filter, id::*, language::Language, passage::Passage, progress::*,
    span::Span, stage::Outcome,
};
use rag_index::*;
use rag_models::*;
use std::collections::HashMap;
use std::path::Path;
struct E(ModelIdentity);
impl Embedder for E {
    fn identity(&self) -> &ModelIdentity {
        &self.0
    }
    fn max_tokens(&self) -> usize {
        254
    }
    fn count_tokens(&self, _: &str) -> usize {
        1
    }
    fn token_offsets(&self, _: &str) -> Vec<(usize, usize)> {
        vec![]
    }
    fn serves(&self, _: Language) -> bool {
        true
    }
    fn embed_passages(&self, t: &[&str], _: &dyn Progress) -> Result<Embeddings, ModelError> {
        let mut values = vec![];
        for x in t {
            values.extend(self.embed_query(x)?);
        }
        Ok(Embeddings {
            dimension: 384,
            values,
            truncated_tokens: vec![0; t.len()],
        })
    }
    fn embed_query(&self, t: &str) -> Result<Vec<f32>, ModelError> {
        let mut s = Digest::of(t.as_bytes())
            .0
            .iter()
            .fold(7u64, |a, b| a.wrapping_mul(31) + u64::from(*b));
        let v: Vec<f32> = (0..384)
            .map(|_| {
                s = s
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                ((s >> 40) as f32) / 16777216.0 - 0.5
            })
            .collect();
        let l = v.iter().map(|x| x * x).sum::<f32>().sqrt();
        Ok(v.into_iter().map(|x| x / l).collect())
    }
}
fn lines(p: &Path) -> Vec<serde_json::Value> {
    fs_err::read_to_string(p)
        .unwrap()
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect()
}
fn main() {
    let data = std::env::args().nth(1).unwrap();
    let split = std::env::args().nth(2).unwrap();
    let lang: Language = std::env::args().nth(3).unwrap().parse().unwrap();
    let data = Path::new(&data);
    let work = std::env::temp_dir().join("rag-index-task/sci");
    let _ = fs_err::remove_dir_all(&work);
    let mut passages: Vec<Passage> = lines(&data.join("corpus.jsonl"))
        .into_iter()
        .map(|d| {
            let text = d["text"].as_str().unwrap().to_owned();
            Passage {
                id: PassageId {
                    document: DocumentId::from_path_like(d["_id"].as_str().unwrap()),
                    position: 0,
                },
                title: String::new(),
                source: "s".into(),
                section: vec![],
                page: None,
                bounding_box: None,
                updated: None,
                department: None,
                language: lang,
                access: AccessList::public(),
                span: Span::new(0, text.len()),
                parent: Span::new(0, text.len()),
                context: d["title"].as_str().unwrap_or("").to_owned(),
                text,
                tokens: 1,
            }
        })
        .collect();
    let publish = |passages: &[Passage]| {
        let w = ArtifactWriter::begin(
            &work.join("chunked"),
            StageKey::new("chunk", 1, &serde_json::to_value(passages).unwrap()),
        )
        .unwrap();
        jsonl::write_all(&w.path("passages.jsonl"), passages).unwrap();
        w.publish(Outcome::default()).unwrap();
    };
    publish(&passages);
    let id = ModelIdentity {
        name: "x".into(),
        weights: "w".into(),
        tokenizer: "t".into(),
        dimension: 384,
        pooling: Pooling::Mean,
        query_prefix: String::new(),
        passage_prefix: String::new(),
        normalised: true,
        max_tokens: 256,
        precision: Precision::F32,
    };
    let e = E(id);
    let build = |prev: Option<&Path>, out: &str| {
        let t = std::time::Instant::now();
        let o = run(
            &Config::default(),
            &work.join("chunked"),
            &work.join(out),
            &Tools {
                embedder: &e,
                previous: prev,
                journal: &work.join("j"),
                progress: &Silent,
            },
        )
        .unwrap();
        println!("{out}: {o:?} {:?}", t.elapsed());
    };
    build(None, "g");
    build(None, "g");
    for p in passages.iter_mut().take(100) {
        p.access = AccessList::from_iter(["finance"]);
    }
    publish(&passages);
    build(Some(&work.join("g")), "g2");
    passages[5].text.push_str(" changed");
    publish(&passages);
    build(Some(&work.join("g2")), "g3");
    for k in [
        ("k1=.9 b=.4", 0.9, 0.4),
        ("1.2/.75", 1.2, 0.75),
        ("1.5/.75", 1.5, 0.75),
        ("1.2/.4", 1.2, 0.4),
        ("0.6/.6", 0.6, 0.6),
        ("1.2/.6", 1.2, 0.6),
        ("0.9/.6", 0.9, 0.6),
        ("1.6/.9", 1.6, 0.9),
        ("1.2/.9", 1.2, 0.9),
        ("2/.75", 2.0, 0.75),
    ] {
        let t = std::time::Instant::now();
        let g = Generation::open(
            &work.join("g"),
            &SearchConfig {
                k1: k.1,
                b: k.2,
                ..Default::default()
            },
        )
        .unwrap();
        let open = t.elapsed();
        let a = g.allowed(&Principal::everyone(), &Filter::default());
        let mut qrels: HashMap<String, HashMap<String, f64>> = HashMap::new();
        for l in fs_err::read_to_string(data.join("qrels").join(format!("{split}.tsv")))
            .unwrap()
            .lines()
            .skip(1)
        {
            let f: Vec<&str> = l.split('\t').collect();
            if f[2].parse::<f64>().unwrap() > 0.0 {
                qrels
                    .entry(f[0].into())
                    .or_default()
                    .insert(f[1].into(), f[2].parse().unwrap());
            }
        }
        let (mut nd, mut r, mut h1, mut n) = (0.0, 0.0, 0.0, 0.0);
        let mut times = vec![];
        let mut dt = vec![];
        let mut hy = vec![];
        for q in lines(&data.join("queries.jsonl")) {
            let Some(rel) = qrels.get(q["_id"].as_str().unwrap()) else {
                continue;
            };
            let text = q["text"].as_str().unwrap();
            let v = e.embed_query(text).unwrap();
            let t = std::time::Instant::now();
            let a2 = g.allowed(&Principal::everyone(), &Filter::default());
            let c = g.bm25(text, &a, 100).unwrap();
            times.push(t.elapsed());
            let t2 = std::time::Instant::now();
            let d = g.dense(&v, &a2, 100).unwrap();
            dt.push(t2.elapsed());
            for x in c.iter().chain(&d).take(30) {
                g.passage(x.ordinal, &a).unwrap();
            }
            hy.push(t.elapsed());
            let docs: Vec<String> = c
                .iter()
                .map(|c| g.passage(c.ordinal, &a).unwrap().unwrap().id.document.to_string())
                .collect();
            let dcg: f64 = docs
                .iter()
                .take(10)
                .enumerate()
                .map(|(i, d)| rel.get(d).copied().unwrap_or(0.0) / ((i + 2) as f64).log2())
                .sum();
            let mut ideal: Vec<f64> = rel.values().copied().collect();
            ideal.sort_by(|a, b| b.total_cmp(a));
            let idcg: f64 = ideal
                .iter()
                .take(10)
                .enumerate()
                .map(|(i, g)| g / ((i + 2) as f64).log2())
                .sum();
            nd += dcg / idcg;
            r += rel.keys().filter(|d| docs.contains(d)).count() as f64 / rel.len() as f64;
            h1 += f64::from(u8::from(docs.first().is_some_and(|d| rel.contains_key(d))));
            n += 1.0;
        }
        times.sort();
        dt.sort();
        hy.sort();
        println!(
            "{} open {open:?} nDCG@10 {:.4} R@100 {:.4} hit1 {:.4} p50 bm25 {:?} dense {:?} all+30 passages {:?} p95 {:?}",
            k.0,
            nd / n,
            r / n,
            h1 / n,
            times[times.len() / 2],
            dt[dt.len() / 2],
            hy[hy.len() / 2],
            hy[hy.len() * 95 / 100]
        );
    }
}
