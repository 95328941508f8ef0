import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A collection of documents and queries with relevance judgements, in the layout of BEIR. */
export interface Collection {
  readonly name: string
  readonly documents: readonly { readonly id: string; readonly title: string; readonly text: string }[]
  readonly queries: readonly { readonly id: string; readonly text: string; readonly relevant: ReadonlyMap<string, number> }[]
}

/** Reads a collection without the queries that have no relevant document. */
export function readCollection(folder: string, name: string): Collection {
  const lines = (file: string): string[] =>
    readFileSync(join(folder, name, file), 'utf8')
      .trim()
      .split('\n')
  const relevant = new Map<string, Map<string, number>>()
  for (const line of lines('qrels.tsv').slice(1)) {
    const [query = '', document = '', score = '0'] = line.split('\t')
    if (Number(score) <= 0) continue
    relevant.set(query, (relevant.get(query) ?? new Map<string, number>()).set(document, Number(score)))
  }
  const parsed = (file: string) => lines(file).map((line) => JSON.parse(line) as { _id: string; title?: string; text: string })
  return {
    name,
    documents: parsed('corpus.jsonl').map(({ _id, title = '', text }) => ({ id: _id, title, text })),
    queries: parsed('queries.jsonl').flatMap(({ _id, text }) => {
      const judgements = relevant.get(_id)
      return judgements ? [{ id: _id, text, relevant: judgements }] : []
    }),
  }
}

/** Normalised discounted cumulative gain of the first `depth` found. */
export function nDcg(found: readonly string[], relevant: ReadonlyMap<string, number>, depth = 10): number {
  const gain = (grades: readonly number[]): number => grades.reduce((sum, grade, at) => sum + grade / Math.log2(at + 2), 0)
  const ideal = [...relevant.values()].sort((a, b) => b - a).slice(0, depth)
  return gain(found.slice(0, depth).map((id) => relevant.get(id) ?? 0)) / gain(ideal)
}

/** Recall of the first `depth` hits. */
export const recallAt = (found: readonly string[], relevant: ReadonlyMap<string, number>, depth = 10): number =>
  found.slice(0, depth).filter((id) => relevant.has(id)).length / Math.min(depth, relevant.size)
