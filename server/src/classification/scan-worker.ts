import { DETECTORS } from './detectors.ts'
import { type Scan, scan } from './scan.ts'

export interface ScanTask {
  readonly texts: readonly string[]
  readonly budgetMs: number
}

/** Runs in the thread of scan-in-thread.ts. */
export const scanAll = ({ texts, budgetMs }: ScanTask): Scan => scan(texts, { detectors: DETECTORS, budgetMs })
