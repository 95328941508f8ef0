import { Badge, Button, Card, Checkbox, Code, Collapse, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import type { PolicyCookbook } from '../../api/schema.d.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { addTemplate } from './rule-document.ts'

interface TemplatesButtonProps {
  readonly source: string
  /** Gets the text with the rules of the template; undefined: they could not be added. */
  readonly onAdded: (text: string | undefined) => void
}

/** Adds rules of the cookbook to a draft. */
export function TemplatesButton({ source, onAdded }: TemplatesButtonProps) {
  const { t } = useTranslation('policies')
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        {t('templates.add')}
      </Button>
      <Modal opened={opened} onClose={close} size="xl" title={t('templates.title')}>
        {opened && (
          <Templates
            onAdd={(template, withTests) => {
              onAdded(addTemplate(source, template, withTests))
              close()
            }}
          />
        )}
      </Modal>
    </>
  )
}

type Template = PolicyCookbook['templates'][number]

function Templates({ onAdd }: { readonly onAdd: (template: string, withTests: boolean) => void }) {
  const { t } = useTranslation('policies')
  const [search, setSearch] = useState('')
  const [withTests, setWithTests] = useState(true)
  const { data, error } = useRead('/admin/v1/policy-templates')
  if (error) return <ErrorState error={error} />
  if (!data) return <PageSkeleton />
  const words = search.toLowerCase().split(/\s+/)
  const found = data.templates.filter(({ title, category, what_it_does }) =>
    words.every((word) => `${title} ${category} ${what_it_does}`.toLowerCase().includes(word)),
  )
  return (
    <Stack>
      <TextInput
        label={t('templates.search')}
        placeholder={t('templates.searchHint')}
        value={search}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <Checkbox
        label={t('templates.withTests')}
        checked={withTests}
        onChange={({ currentTarget }) => setWithTests(currentTarget.checked)}
      />
      {found.length === 0 && <Text c="dimmed">{t('templates.none')}</Text>}
      {found.map((template) => (
        <TemplateCard key={template.id} template={template} onAdd={() => onAdd(template.source, withTests)} />
      ))}
    </Stack>
  )
}

function TemplateCard({ template, onAdd }: { readonly template: Template; readonly onAdd: () => void }) {
  const { t } = useTranslation('policies')
  const [opened, { toggle }] = useDisclosure()
  return (
    <Card withBorder component="section" aria-label={template.title}>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Text fw={600}>{template.title}</Text>
          <Badge color="gray">{template.category}</Badge>
        </Group>
        <Text size="sm">{template.what_it_does}</Text>
        <Text size="sm" c="dimmed">
          {t('templates.when', { text: template.when_to_use_it })}
        </Text>
        <Text size="sm" c="dimmed">
          {t('templates.users', { text: template.what_users_notice })}
        </Text>
        <Group gap="xs">
          <Button size="xs" onClick={onAdd} aria-label={t('templates.addOne', { title: template.title })}>
            {t('templates.addRule')}
          </Button>
          <Button size="xs" variant="subtle" onClick={toggle} aria-expanded={opened}>
            {t(opened ? 'templates.hide' : 'templates.show')}
          </Button>
        </Group>
        <Collapse expanded={opened}>
          {opened && (
            <Code block tabIndex={0}>
              {template.source}
            </Code>
          )}
        </Collapse>
      </Stack>
    </Card>
  )
}
