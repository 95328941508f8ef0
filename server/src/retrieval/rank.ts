import type pg from 'pg'
import type { Db } from '../db/database.ts'
import { rankLexically } from './lexical.ts'
import type { Partition } from './partition.ts'

export interface Ranked {
  /** The entry's UUID. */
  readonly id: string
  /** 0 to 1. */
  readonly similarity: number
}

export interface Ranker {
  /**
   * The entries of these partitions that fit `query`, the best first, up to `depth`; ties by id. Nothing that lies in other
   * partitions has any influence. A greater depth goes on where a smaller one ended.
   */
  rank(workspaceUuid: string, partitions: readonly Partition[], query: string, depth: number): Promise<readonly Ranked[]>
}

export interface RankerDeps {
  readonly db: Db
  readonly pool: pg.Pool
}

/** Ranks by the words alone. */
export const createRanker = ({ pool }: RankerDeps): Ranker => ({
  rank: (workspaceUuid, partitions, query, depth) => rankLexically(pool, workspaceUuid, partitions, query, depth),
})
