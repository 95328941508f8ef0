import { rm } from 'node:fs/promises'
import { EVENTS_TOPIC } from '../../../domains/messaging/events/event.ts'
import { REVIEWS_TOPIC } from '../../../domains/review/review.ts'
import type { Signal } from '../../../platform/db/signal.ts'
import { CHANGE_TOPICS } from '../../setup/recorded-change.ts'
import { demoFilePath } from '../demo-file.ts'
import type { Removal } from './remove-demo.ts'

/** After the commit: no node answers from what it remembers of the Workspace, and demo.json is deleted unless its owner stays. */
export async function announceRemoval(
  { workspaceId, isOwnerKept }: Extract<Removal, { ok: true }>,
  { signal, dataDir }: { readonly signal: Signal; readonly dataDir: string },
): Promise<void> {
  for (const topic of [...CHANGE_TOPICS, REVIEWS_TOPIC, EVENTS_TOPIC]) await signal.publish(topic, workspaceId)
  if (!isOwnerKept) await rm(demoFilePath(dataDir), { force: true })
}
