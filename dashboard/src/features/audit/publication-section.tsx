import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import type { AuditRecord } from '../../api/schema.d.ts'
import { useScopes } from '../../api/session.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/section.tsx'
import { Hash } from './hash.tsx'

/** The published policy version, and the one that it restores. The note is that of the version: records have no texts of operators. */
export function PublicationSection({ record: { change, policy_versions } }: { readonly record: AuditRecord }) {
  const { t } = useTranslation('audit')
  const { hasScope } = useScopes()
  const id = change?.object_id ?? ''
  const enabled = change?.action === 'policy_set.publish' && hasScope('policies:read')
  const { data } = useRead('/admin/v1/policy-sets/{id}', { params: { path: { id } } }, { enabled })
  const [version = data] = policy_versions
  const restored = change?.restores
  return (
    <Section title={t('record.publication.title')}>
      <DescriptionList
        items={[
          [
            t('record.publication.version'),
            version && (
              <Link key="version" to={`/policies/${version.id}`}>
                {t('record.decision.version', { name: version.name ?? t('record.decision.unnamed'), version: version.version })}
              </Link>
            ),
          ],
          [
            t('record.decision.sha'),
            version?.sha256 && <Hash key="sha" value={version.sha256} label={t('record.decision.sha')} />,
          ],
          [
            t('record.publication.restores'),
            restored && (
              <Link key="restored" to={`/policies/${restored.id}`}>
                {t('record.publication.restored', { version: restored.version })}
              </Link>
            ),
          ],
          [t('record.publication.note'), data?.note || null],
        ]}
      />
    </Section>
  )
}
