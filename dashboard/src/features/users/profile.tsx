import { Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Copyable } from '../../ui/copy.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Level } from '../../ui/level.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { projectsOf, type User } from './user.ts'

/** Fields of a user in the directory. */
export function Profile({ user }: { readonly user: User }) {
  const { t } = useTranslation('users')
  const { projects: _, clearance, ...attributes } = user.attributes
  const none = t('profile.none')
  return (
    <Section title={t('profile.title')}>
      <DescriptionList
        items={[
          [t('profile.id'), <Copyable key="id" value={user.id} label={t('profile.id')} />],
          [t('profile.role'), user.role || none],
          [t('profile.department'), user.department || none],
          [t('profile.projects'), projectsOf(user).join(', ') || none],
          [t('profile.clearance'), typeof clearance === 'string' ? <Level key="clearance" level={clearance} /> : null],
          [
            t('profile.attributes'),
            Object.keys(attributes).length > 0 ? <Attributes key="attributes" attributes={attributes} /> : null,
          ],
          [t('profile.created'), <Time key="created" at={user.created_at} />],
        ]}
      />
    </Section>
  )
}

function Attributes({ attributes }: { readonly attributes: Readonly<Record<string, unknown>> }) {
  const { t } = useTranslation('users')
  return (
    <Stack component="span" gap={0}>
      {Object.entries(attributes).map(([name, value]) => (
        <span key={name}>
          {t('profile.attribute', { name, value: typeof value === 'string' ? value : JSON.stringify(value) })}
        </span>
      ))}
    </Stack>
  )
}
