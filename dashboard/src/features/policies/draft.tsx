import { openSearchPanel } from '@codemirror/search'
import { Button, Grid, Group, Tabs, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { PolicySet } from '../../api/schema.d.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { CodeEditor } from './code-editor.tsx'
import { DocumentView } from './document-view.tsx'
import { DraftActions } from './draft-actions.tsx'
import { DraftDetails } from './draft-details.tsx'
import { DraftMerges } from './draft-merges.tsx'
import type { StoredDraft } from './draft-saver.ts'
import { goToLine } from './editor-extensions.ts'
import { Problems } from './problems.tsx'
import { ReplayPanel } from './replay-panel.tsx'
import { rulesIn } from './rule-document.ts'
import { RulesPanel } from './rules-panel.tsx'
import { TestsPanel } from './tests-panel.tsx'
import { TryPanel } from './try-panel.tsx'
import { type DraftState, useDraft } from './use-draft.ts'
import { useVersionText } from './use-version-text.ts'

interface DraftProps {
  readonly draft: StoredDraft
  readonly active: PolicySet | undefined
  readonly canWrite: boolean
}

/** Editor with rules, checks, tests, replay and changes of a draft. */
export function Draft({ draft: stored, active, canWrite }: DraftProps) {
  const { t } = useTranslation('policies')
  const draft = useDraft(stored, canWrite)
  const base = useVersionText(draft.saved.base_version)
  return (
    <Frame
      title={draft.saved.title}
      description={t('draft.description')}
      parent={{ to: '/policies', label: t('title') }}
      actions={<DraftActions draft={draft} active={active} />}
    >
      <DraftDetails draft={draft} />
      <DraftMerges draft={draft} base={base} active={active} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <CodeEditor label={t('draft.editor')} document={draft.start} extensions={draft.extensions} onView={draft.setView} />
          <Group gap="md" mt={4}>
            <Button size="compact-xs" variant="subtle" ml={-7} onClick={() => draft.view && openSearchPanel(draft.view)}>
              {t('draft.find')}
            </Button>
            <Text size="xs" c="dimmed">
              {t('draft.keys')}
            </Text>
          </Group>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <DraftTabs draft={draft} base={base} />
        </Grid.Col>
      </Grid>
    </Frame>
  )
}

const TABS = ['problems', 'rules', 'try', 'tests', 'replay', 'changes'] as const
/** All tabs are in one row, also on a phone. */
const TAB_PADDING = { base: 4, xs: 8 } as const

function DraftTabs({ draft, base }: { readonly draft: DraftState; readonly base: string | undefined }) {
  const { t } = useTranslation('policies')
  const { check, source, view } = draft
  const isValid = check?.ok === true
  const onLine = (line: number) => goToLine(view, line)
  const onRule = (id: string) => onLine(rulesIn(source).find((rule) => rule.id === id)?.line ?? 1)
  const problems = check?.errors.length ?? 0
  return (
    <Tabs defaultValue="problems" keepMounted>
      <Tabs.List mb="md">
        {TABS.map((tab) => (
          <Tabs.Tab key={tab} value={tab} px={TAB_PADDING}>
            {tab === 'problems' && problems > 0 ? t('tabs.problemCount', { problems }) : t(`tabs.${tab}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="problems">
        <Problems check={check} source={source} onLine={onLine} />
      </Tabs.Panel>
      <Tabs.Panel value="rules">
        <RulesPanel draft={draft} onLine={onLine} />
      </Tabs.Panel>
      <Tabs.Panel value="try">
        <TryPanel draft={draft} ready={isValid} onRule={onRule} />
      </Tabs.Panel>
      <Tabs.Panel value="tests">
        <TestsPanel source={source} ready={isValid} onLine={onLine} />
      </Tabs.Panel>
      <Tabs.Panel value="replay">
        <ReplayPanel source={source} ready={isValid} />
      </Tabs.Panel>
      <Tabs.Panel value="changes">
        {base !== undefined && source !== base ? <DocumentView source={source} since={base} /> : <Text>{t('changes.none')}</Text>}
      </Tabs.Panel>
    </Tabs>
  )
}
