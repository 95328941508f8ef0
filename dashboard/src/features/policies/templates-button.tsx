import { Badge, Button, Card, Checkbox, Chip, Code, Collapse, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
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
              const text = addTemplate(source, template, withTests)
              onAdded(text)
              // The page says why the template could not be added.
              if (text === undefined) close()
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
  const [category, setCategory] = useState(ALL)
  const [withTests, setWithTests] = useState(true)
  const [added, setAdded] = useState<ReadonlySet<string>>(new Set())
  const { data, error } = useRead('/admin/v1/policy-templates')
  if (error) return <ErrorState error={error} />
  if (!data) return <PageSkeleton />
  const found = data.templates.filter((template) => isFound(template, search, category))
  const add = ({ id, source }: Template) => {
    onAdd(source, withTests)
    setAdded(new Set([...added, id]))
  }
  return (
    <Stack>
      <TextInput
        label={t('templates.search')}
        placeholder={t('templates.searchHint')}
        value={search}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <Categories templates={data.templates} value={category} onChange={setCategory} />
      <Checkbox
        label={t('templates.withTests')}
        checked={withTests}
        onChange={({ currentTarget }) => setWithTests(currentTarget.checked)}
      />
      {found.length === 0 && <Text c="dimmed">{t('templates.none')}</Text>}
      {found.map((template) => (
        <TemplateCard key={template.id} template={template} isAdded={added.has(template.id)} onAdd={() => add(template)} />
      ))}
    </Stack>
  )
}

const ALL = ''

function isFound({ title, category, what_it_does }: Template, search: string, chosen: string): boolean {
  const words = search.toLowerCase().split(/\s+/)
  const text = `${title} ${category} ${what_it_does}`.toLowerCase()
  return (chosen === ALL || category === chosen) && words.every((word) => text.includes(word))
}

interface CategoriesProps {
  readonly templates: readonly Template[]
  readonly value: string
  readonly onChange: (category: string) => void
}

function Categories({ templates, value, onChange }: CategoriesProps) {
  const { t } = useTranslation('policies')
  const categories = [...new Set(templates.map(({ category }) => category))].toSorted()
  return (
    <Chip.Group value={value} onChange={onChange}>
      <Group gap="xs" role="radiogroup" aria-label={t('templates.categories')}>
        <Chip value={ALL}>{t('templates.all')}</Chip>
        {categories.map((category) => (
          <Chip key={category} value={category}>
            {category}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  )
}

/** A text whose parts in backticks are code. */
const WithCode = ({ text }: { readonly text: string }) =>
  text.split('`').map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity
    index % 2 === 1 ? <Code key={index}>{part}</Code> : part,
  )

interface TemplateCardProps {
  readonly template: Template
  readonly isAdded: boolean
  readonly onAdd: () => void
}

function TemplateCard({ template, isAdded, onAdd }: TemplateCardProps) {
  const { t } = useTranslation('policies')
  const [opened, { toggle }] = useDisclosure()
  return (
    <Card withBorder component="section" aria-label={template.title}>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Text fw={600}>{template.title}</Text>
          <Badge color="gray">{template.category}</Badge>
        </Group>
        <Text size="sm">
          <WithCode text={template.what_it_does} />
        </Text>
        <Text size="sm" c="dimmed">
          <WithCode text={t('templates.when', { text: template.when_to_use_it })} />
        </Text>
        <Text size="sm" c="dimmed">
          <WithCode text={t('templates.users', { text: template.what_users_notice })} />
        </Text>
        <Group gap="xs">
          <Button size="xs" onClick={onAdd} aria-label={t('templates.addOne', { title: template.title })}>
            {t('templates.addRule')}
          </Button>
          {isAdded && (
            <Badge color="green" role="status">
              {t('templates.added')}
            </Badge>
          )}
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
