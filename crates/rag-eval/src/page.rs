//! The frame that all pages of reports share: no script, nothing loaded from elsewhere.

use rag_core::text::markup;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#222}\
    table{border-collapse:collapse;margin:1rem 0}td,th{padding:.25rem .8rem;text-align:left;border-bottom:1px solid #ddd}\
    td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}blockquote{border-left:3px solid #999;margin:.5rem 0;padding-left:1rem}\
    ol.ladder li{color:#888}ol.ladder li.here{color:#000;font-weight:bold}.note{color:#555}\
    @media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}ol.ladder li.here{color:#fff}.note{color:#aaa}}";

/// A page of HTML with this title and body; the title is text, the body is markup.
pub(crate) fn page(title: &str, body: &str) -> String {
    let title = markup(title);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src 'self'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n{body}</body></html>\n"
    )
}
