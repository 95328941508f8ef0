import type { Logger } from 'pino'
import type { ChangeDeps } from './api/admin/kit/change.ts'
import { uploadRecorder } from './api/admin/knowledge/upload-recorder.ts'
import type { Detector } from './domains/classification/detector.ts'
import { createTextScanner } from './domains/classification/scan.ts'
import { DocumentFetcher } from './domains/knowledge/document-fetcher.ts'
import { openOcr } from './domains/knowledge/ocr.ts'
import { UploadWorker } from './domains/knowledge/upload-worker.ts'
import type { Config } from './platform/config/config.ts'

interface Deps extends ChangeDeps {
  readonly config: Config
  readonly log: Logger
  readonly detectors: readonly Detector[]
  readonly detectorBudgetMs: number
  readonly onError: (error: Error) => void
}

/** The worker that reads uploaded documents, and the fetcher of those that are at a URL. */
export function createUploads(deps: Deps) {
  const documentFetcher = new DocumentFetcher(deps.config)
  const scanText = createTextScanner({ detectors: deps.detectors, budgetMs: deps.detectorBudgetMs })
  const ocr = openOcr(deps.config.ocr)
  const uploads = new UploadWorker({ ...deps, scanText, ocr, documentFetcher, ...uploadRecorder(deps) })
  return { documentFetcher, ocr, uploads }
}
