import { Button, Grid, Group, Tabs, Text } from '@mantine/core'
import { useScopes } from '../../api/session.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { CodeEditor } from './code-editor.tsx'
import { DocumentView } from './document-view.tsx'
import { deleteDraft, type StoredDraft } from './draft-storage.ts'
import { goToLine } from './editor-extensions.ts'
import { Problems } from './problems.tsx'
import { ReplayPanel } from './replay-panel.tsx'
import { SupersededAlert } from './superseded-alert.tsx'
import { TestsPanel } from './tests-panel.tsx'
import { useDraft } from './use-draft.ts'

interface DraftProps {
  /** Key of the draft in session storage. */
  readonly storageKey: string
  readonly stored: StoredDraft
  readonly original: string
  /** Called after the draft was discarded in favor of the active version. */
  readonly onDiscard: () => void
}

/** Editor with checks, tests, replay and changes of a draft. */
export function Draft({ storageKey, stored, original, onDiscard }: DraftProps) {
  const draft = useDraft(storageKey, stored, original)
  const discard = () => {
    deleteDraft(storageKey)
    onDiscard()
  }
  return (
    <Frame
      title="Draft"
      description="The draft is stored in this window. It applies to requests after you publish it."
      actions={<DraftActions draft={draft} />}
    >
      {draft.superseding && (
        <SupersededAlert active={draft.superseding} original={original} onKeep={draft.rebase} onDiscard={discard} />
      )}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <CodeEditor label="Policy document" document={draft.start} extensions={draft.extensions} onView={draft.setView} />
          <Group gap="md" mt={4}>
            <Text size="xs" c="dimmed">
              Ctrl+Space: complete
            </Text>
            <Text size="xs" c="dimmed">
              F8: next problem
            </Text>
          </Group>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <DraftTabs draft={draft} original={original} />
        </Grid.Col>
      </Grid>
    </Frame>
  )
}

type DraftState = ReturnType<typeof useDraft>

function DraftActions({ draft: { isChanged, check, reset, publish } }: { readonly draft: DraftState }) {
  const { hasScope } = useScopes()
  return (
    <>
      <Button variant="default" disabled={!isChanged} onClick={reset}>
        Reset
      </Button>
      {hasScope('policies:write') && (
        <ConfirmButton
          size="sm"
          variant="filled"
          destructive={false}
          disabled={!isChanged || !check?.ok}
          question="Publish this draft?"
          consequence="The draft becomes the active version and applies to all new requests. You can activate the previous version again."
          onConfirm={publish}
        >
          Publish
        </ConfirmButton>
      )}
    </>
  )
}

function DraftTabs({ draft, original }: { readonly draft: DraftState; readonly original: string }) {
  const { check, source, view, isChanged } = draft
  const isValid = check?.ok === true
  const onLine = (line: number) => goToLine(view, line)
  return (
    <Tabs defaultValue="problems" keepMounted>
      <Tabs.List mb="md">
        <Tabs.Tab value="problems">Problems{check && check.errors.length > 0 && ` (${check.errors.length})`}</Tabs.Tab>
        <Tabs.Tab value="tests">Tests</Tabs.Tab>
        <Tabs.Tab value="replay">Replay</Tabs.Tab>
        <Tabs.Tab value="changes">Changes</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="problems">
        <Problems check={check} onLine={onLine} />
      </Tabs.Panel>
      <Tabs.Panel value="tests">
        <TestsPanel source={source} ready={isValid} onLine={onLine} />
      </Tabs.Panel>
      <Tabs.Panel value="replay">
        <ReplayPanel source={source} ready={isValid} />
      </Tabs.Panel>
      <Tabs.Panel value="changes">
        {isChanged ? <DocumentView source={source} since={original} /> : <Text>No changes yet.</Text>}
      </Tabs.Panel>
    </Tabs>
  )
}
