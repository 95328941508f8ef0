import type { Generated, GeneratedAlways } from 'kysely'
import type { Bytes } from '../../platform/db/columns.ts'
import type { Language } from './language.ts'

declare module '../../platform/db/schema.ts' {
  interface Schema {
    /** Entries with the same visibility, and their statistics. */
    retrieval_partition: {
      id: GeneratedAlways<number>
      workspace_id: string
      kind: PartitionKind
      key: string
      language: Language
      entries: Generated<number>
      total_length: Generated<number>
      /** The number of the next entry; numbers are not reused. */
      next_number: Generated<number>
      /** From this number on, postings of entries are not in the lists yet (pending). Null: all are. */
      pending_from: number | null
    }
    retrieval_entry: {
      id: string
      partition_id: number
      /** Its number within the partition, which determines its block of postings and its posting there. A new one when it is indexed again. */
      number: number
      length: number
      /** Its distinct terms separated by spaces, if a former release has indexed it; otherwise empty. */
      terms: string
      /** Its terms and how often it has each (packed-terms.ts), to find its postings when it is removed. Null: a former release has indexed it. */
      packed: Bytes | null
      /** The version of the tokenizer (words.ts). */
      tokenizer: Generated<number>
    }
    retrieval_list: {
      partition_id: number
      term: string
      /** Entry number ÷ 1,024. */
      block: number
      /** Four bytes for each entry that contains the term (posting.ts). */
      postings: Bytes
    }
    /** Entries that were removed while their postings stay in the lists. A trigger adds them when entries are deleted. */
    retrieval_removed: {
      partition_id: number
      number: number
      packed: Bytes
    }
    /** Postings of former releases (legacy-postings.ts). */
    retrieval_posting: {
      partition_id: number
      term: string
      block: number
      postings: Bytes
    }
    embedding_model: {
      id: GeneratedAlways<number>
      name: string
      dimensions: number
      /** Whether requests must state the number of dimensions. */
      shortened: boolean
      /** building: some entries have no vector yet. ready: it serves queries. retired: replaced, and its vectors are being deleted. */
      state: 'building' | 'ready' | 'retired'
      changed_at: Generated<Date>
      /** Whether its HNSW index is complete. */
      indexed: Generated<boolean>
      /** The node that computes its vectors, and the end of its lease. */
      leased_by: string | null
      leased_until: Generated<Date>
    }
    /** Exists only with the extension `vector` and a configured embedder. */
    retrieval_vector: {
      model_id: number
      partition_id: number
      entry_id: string
      /** A unit vector; null: the model cannot embed the text. */
      embedding: string | null
    }
  }
}

export type PartitionKind = 'knowledge' | 'memory'
