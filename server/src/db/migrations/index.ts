import type { SchemaMigration } from '../migrate.ts'
import * as gateway from './0001-gateway.ts'
import * as retrieval from './0002-retrieval.ts'
import * as embeddings from './0003-embeddings.ts'
import * as knowledge from './0004-knowledge.ts'
import * as memory from './0005-memory.ts'
import * as messaging from './0006-messaging.ts'
import * as operators from './0007-operators.ts'
import * as statistics from './0008-statistics.ts'
import * as auditSeal from './0009-audit-seal.ts'
import * as filters from './0011-filters.ts'
import * as issuers from './0012-issuers.ts'
import * as appliedDeclarations from './0014-applied-declarations.ts'
import * as providerTimeouts from './0015-provider-timeouts.ts'
import * as formerRoles from './0016-former-roles.ts'
import * as traces from './0017-traces.ts'
import * as providerPreset from './0018-provider-preset.ts'
import * as tokenUnits from './0019-token-units.ts'
import * as providerStreams from './0020-provider-streams.ts'
import * as storedResponses from './0021-stored-responses.ts'
import * as modelApi from './0022-model-api.ts'
import * as auditAppend from './0023-audit-append.ts'
import * as quota from './0025-quota.ts'
import * as prices from './0026-prices.ts'
import * as budgets from './0027-budgets.ts'
import * as sealedValueCounts from './0029-sealed-value-counts.ts'
import * as auditFeed from './0031-audit-feed.ts'
import * as auditRollups from './0034-audit-rollups.ts'
import * as partitions from './0035-partitions.ts'
import * as usage from './0036-usage.ts'
import * as firstHour from './0038-first-hour.ts'
import * as policyDrafts from './0039-policy-drafts.ts'
import * as reviewWork from './0040-review-work.ts'
import * as workspaceRoles from './0041-workspace-roles.ts'
import * as notifications from './0042-notifications.ts'
import * as savedViews from './0043-saved-views.ts'
import * as usageValues from './0045-usage-values.ts'
import * as assignedFor from './0046-assigned-for.ts'
import * as tokenizer from './0047-tokenizer.ts'

/** In the order in which they run, by name. A released migration never changes, and there are no down migrations. */
export const MIGRATIONS: Record<string, SchemaMigration> = {
  '0001-gateway': gateway,
  '0002-retrieval': retrieval,
  '0003-embeddings': embeddings,
  '0004-knowledge': knowledge,
  '0005-memory': memory,
  '0006-messaging': messaging,
  '0007-operators': operators,
  '0008-statistics': statistics,
  '0009-audit-seal': auditSeal,
  '0011-filters': filters,
  '0012-issuers': issuers,
  '0014-applied-declarations': appliedDeclarations,
  '0015-provider-timeouts': providerTimeouts,
  '0016-former-roles': formerRoles,
  '0017-traces': traces,
  '0018-provider-preset': providerPreset,
  '0019-token-units': tokenUnits,
  '0020-provider-streams': providerStreams,
  '0021-stored-responses': storedResponses,
  '0022-model-api': modelApi,
  '0023-audit-append': auditAppend,
  '0025-quota': quota,
  '0026-prices': prices,
  '0027-budgets': budgets,
  '0029-sealed-value-counts': sealedValueCounts,
  '0031-audit-feed': auditFeed,
  '0034-audit-rollups': auditRollups,
  '0035-partitions': partitions,
  '0039-policy-drafts': policyDrafts,
  '0036-usage': usage,
  '0038-first-hour': firstHour,
  '0041-workspace-roles': workspaceRoles,
  '0040-review-work': reviewWork,
  '0042-notifications': notifications,
  '0043-saved-views': savedViews,
  '0045-usage-values': usageValues,
  '0046-assigned-for': assignedFor,
  '0047-tokenizer': tokenizer,
}
