import { Code, Text } from '@mantine/core'
import { Trans, useTranslation } from 'react-i18next'
import { Section } from '../../ui/section.tsx'
import type { Application } from './applications-page.tsx'
import { BaseUrl, ClientSnippets } from './client-snippets.tsx'

/** How to connect a client to the Application. */
export function ConnectSection({ application }: { readonly application: Application }) {
  const { t } = useTranslation('applications')
  return (
    <Section title={t('connect.title')}>
      <Text size="sm">
        <Trans ns="applications" i18nKey="connect.setKey" components={{ code: <Code /> }} />
      </Text>
      <BaseUrl />
      <ClientSnippets application={application} />
    </Section>
  )
}
