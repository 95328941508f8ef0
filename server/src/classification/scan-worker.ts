import { parentPort } from 'node:worker_threads'
import { DETECTORS } from './detectors.ts'
import { scan } from './scan.ts'

/** Runs inside the thread that scan-aside.ts starts. */
export interface ScanTask {
  readonly id: number
  readonly texts: readonly string[]
  readonly budgetMs: number
}

parentPort?.on('message', ({ id, texts, budgetMs }: ScanTask) =>
  parentPort?.postMessage({ id, found: scan(texts, { detectors: DETECTORS, budgetMs }) }),
)
