import { serveHelper } from './helper-process.ts'
import { type LoadResult, type LoadSpec, runLoad } from './load-run.ts'

/** The load generator, in a separate process so that its CPU time is not counted for the server. */
serveHelper(0, (spec: LoadSpec): Promise<LoadResult> => runLoad(spec))
