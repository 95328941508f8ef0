import { DETECTORS } from './detectors.ts'
import { type Scan, scan } from './scan.ts'

export interface ScanTask {
  readonly texts: readonly string[]
  readonly budgetMs: number
}

/** Runs inside the thread that scan-aside.ts starts. */
export const scanAll = ({ texts, budgetMs }: ScanTask): Scan => scan(texts, { detectors: DETECTORS, budgetMs })
