import type { ClaimedSource, SourceKind } from '../source.ts'
import type { Connector } from './connector.ts'
import { gitConnector } from './git-connector.ts'
import { s3Connector } from './s3-connector.ts'
import type { SourceHttp } from './source-http.ts'

type Open = (source: ClaimedSource & { readonly secret: string | null }, http: SourceHttp, signal: AbortSignal) => Connector

const CONNECTORS: Readonly<Record<SourceKind, Open>> = { git: gitConnector, s3: s3Connector }

export const openConnector: Open = (source, ...deps) => CONNECTORS[source.kind](source, ...deps)
