import { type LoadResult, type LoadSpec, runLoad } from './load-run.ts'
import { servePeer } from './peer.ts'

/** The load generator, in a process of its own so that its work is nobody else's. */
servePeer(0, (spec: LoadSpec): Promise<LoadResult> => runLoad(spec))
