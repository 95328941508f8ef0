import type { SchemaMigration } from '../migrate.ts'
import * as identity from './0001-identity.ts'
import * as policies from './0002-policies.ts'
import * as providers from './0003-providers.ts'
import * as limits from './0004-limits.ts'
import * as budgets from './0005-budgets.ts'
import * as audit from './0006-audit.ts'
import * as usage from './0007-usage.ts'
import * as reviews from './0008-reviews.ts'
import * as knowledge from './0009-knowledge.ts'
import * as memory from './0010-memory.ts'
import * as messaging from './0011-messaging.ts'
import * as operators from './0012-operators.ts'
import * as server from './0013-server.ts'
import * as keyLimits from './0014-key-limits.ts'
import * as archivedApplications from './0015-archived-applications.ts'
import * as teams from './0016-teams.ts'
import * as providerState from './0017-provider-state.ts'
import * as reviewUsers from './0018-review-users.ts'
import * as reviewQuestions from './0019-review-questions.ts'
import * as usageOutcomes from './0020-usage-outcomes.ts'
import * as countedKeys from './0022-counted-keys.ts'
import * as documentWarnings from './0023-document-warnings.ts'
import * as uploads from './0024-uploads.ts'
import * as groups from './0025-groups.ts'
import * as tokenizer4 from './0027-tokenizer-4.ts'
import * as knowledgeSources from './0030-knowledge-sources.ts'
import * as postingLists from './0035-posting-lists.ts'
import * as documentLanguage from './0036-document-language.ts'
import * as sourceLists from './0037-source-lists.ts'
import * as largeDocuments from './0038-large-documents.ts'

/** In the order in which they run, by name. A released migration never changes, and there are no down migrations. */
export const MIGRATIONS: Record<string, SchemaMigration> = {
  '0001-identity': identity,
  '0002-policies': policies,
  '0003-providers': providers,
  '0004-limits': limits,
  '0005-budgets': budgets,
  '0006-audit': audit,
  '0007-usage': usage,
  '0008-reviews': reviews,
  '0009-knowledge': knowledge,
  '0010-memory': memory,
  '0011-messaging': messaging,
  '0012-operators': operators,
  '0013-server': server,
  '0014-key-limits': keyLimits,
  '0015-archived-applications': archivedApplications,
  '0016-teams': teams,
  '0017-provider-state': providerState,
  '0018-review-users': reviewUsers,
  '0019-review-questions': reviewQuestions,
  '0020-usage-outcomes': usageOutcomes,
  '0022-counted-keys': countedKeys,
  '0023-document-warnings': documentWarnings,
  '0024-uploads': uploads,
  '0025-groups': groups,
  '0027-tokenizer-4': tokenizer4,
  '0030-knowledge-sources': knowledgeSources,
  '0035-posting-lists': postingLists,
  '0036-document-language': documentLanguage,
  '0037-source-lists': sourceLists,
  '0038-large-documents': largeDocuments,
}
