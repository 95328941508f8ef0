import type { Logger } from 'pino'
import type { ChangeDeps } from './api/admin/kit/change.ts'
import { sourceRecorder } from './api/admin/knowledge/source-recorder.ts'
import { uploadRecorder } from './api/admin/knowledge/upload-recorder.ts'
import type { Detector } from './domains/classification/detector.ts'
import { createTextScanner } from './domains/classification/scan.ts'
import { DocumentFetcher } from './domains/knowledge/document-fetcher.ts'
import { openOcr } from './domains/knowledge/ocr.ts'
import { SourceHttp } from './domains/knowledge/sources/source-http.ts'
import { SourceWorker } from './domains/knowledge/sources/source-worker.ts'
import { UploadWorker } from './domains/knowledge/upload-worker.ts'
import type { Config } from './platform/config/config.ts'
import { type SecretKeys, secretBox } from './platform/lib/secret-box.ts'

interface Deps extends ChangeDeps {
  readonly config: Config
  readonly secrets: SecretKeys
  readonly log: Logger
  readonly detectors: readonly Detector[]
  readonly detectorBudgetMs: number
  readonly onError: (error: Error) => void
}

/** The worker that reads uploaded documents, the fetcher of those that are at a URL, and the worker that copies sources. */
export function createUploads(deps: Deps) {
  const documentFetcher = new DocumentFetcher(deps.config)
  const scanText = createTextScanner({ detectors: deps.detectors, budgetMs: deps.detectorBudgetMs })
  const ocr = openOcr(deps.config.ocr)
  const uploads = new UploadWorker({ ...deps, scanText, ocr, documentFetcher, ...uploadRecorder(deps) })
  const [sourceHttp, sourceBox] = [new SourceHttp(deps.config), secretBox(deps.secrets, 'source')]
  const sources = new SourceWorker({ ...deps, uploads, sourceHttp, sourceBox, recordDeletion: sourceRecorder(deps) })
  return { documentFetcher, ocr, uploads, sourceHttp, sourceBox, sources }
}
