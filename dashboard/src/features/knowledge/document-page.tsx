import { Alert, Button, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useChange, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useGo, usePathParam } from '../../routing/location.ts'
import { changedOnly } from '../../ui/changed-only.ts'
import { Classification } from '../../ui/classification.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Facts } from '../../ui/facts.tsx'
import { showInForm } from '../../ui/form-errors.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { notifyDone, notifyError } from '../../ui/notify.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { useEdited } from '../../ui/use-edited.ts'
import { aclInWords, readersInWords } from './acl.ts'
import { DocumentText } from './document-text.tsx'
import type { Document } from './documents-section.tsx'
import { LabelsFields, type LabelValues, labelsBody } from './labels-fields.tsx'

const REFRESH = ['/admin/v1/documents']

/** One document: who may read it, what was found in it, its text. */
export function Page() {
  const id = usePathParam('id')
  const { data: document, error, refetch } = useRead('/admin/v1/documents/{id}', { params: { path: { id } } })
  const changes = useScopes().may('knowledge:write')
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!document) return <PageSkeleton />
  return (
    <Frame
      title={document.title}
      actions={
        <>
          <LinkButton to={`/knowledge/${document.collection_id}`} variant="subtle">
            The collection
          </LinkButton>
          {changes && <Deletion document={document} />}
        </>
      }
    >
      {document.flags && <Flags document={document} mayClear={changes} />}
      <Section title="Who may read" actions={changes && <EditButton document={document} />}>
        <Facts
          facts={[
            ['Readers', readersInWords(document.effective.acls)],
            ['Classification', <Classification key="level" level={document.effective.classification} />],
            ['Regulations', document.effective.regulations.join(', ') || null],
            ['Set on this document', ownLabels(document)],
            ['Says of itself', saysOfItself(document)],
          ]}
        />
      </Section>
      <DocumentText documentId={id} chunks={document.chunks} />
      <Section title="The file">
        <Facts
          facts={[
            ['Key', document.key],
            ['Source', document.source],
            ['Kind', `${document.media_type}, ${document.bytes.toLocaleString()} bytes`],
            ['Version', document.version],
            ['Brought in', <Time key="created" at={document.created_at} />],
            ['Changed', <Time key="updated" at={document.updated_at} />],
            ['SHA-256', <Copyable key="hash" value={document.content_hash} what="the hash" />],
            ['Id', <Copyable key="id" value={document.id} what="the id" />],
          ]}
        />
      </Section>
    </Frame>
  )
}

/** The labels that operators gave to this document alone. */
function ownLabels({ classification, regulations, acl }: Document): string {
  const own = [classification, ...regulations, acl && `readers: ${aclInWords(acl, '')}`].filter(Boolean)
  return own.length > 0 ? own.join(', ') : "nothing: the collection's labels apply"
}

function saysOfItself({ front_matter: { classification, regulations, acl } }: Document): string | null {
  const said = [classification, ...regulations, acl && `readers: ${aclInWords(acl, '')}`].filter(Boolean)
  return said.length > 0 ? `${said.join(', ')} (this may only narrow the rest)` : null
}

/** What may be meant for a model was found in it: somebody looks, then says so. */
function Flags({ document, mayClear }: { readonly document: Document; readonly mayClear: boolean }) {
  const clear = useChange('post', '/admin/v1/documents/{id}/clear-flags', { refresh: REFRESH })
  const found = Object.entries(document.flags ?? {}).map(([type, count]) => `${type} (${count})`)
  return (
    <Alert color="orange" variant="light" icon={<IconAlertTriangle size={18} />} title="Somebody should look at this document">
      <Stack align="flex-start" gap="xs">
        What may be meant as an instruction for a model was found in it: {found.join(', ')}. Read the text, marked passages first.
        {mayClear && (
          <Button
            size="xs"
            variant="default"
            loading={clear.isPending}
            onClick={() =>
              clear.mutate(
                { params: { path: { id: document.id } } },
                { onSuccess: () => notifyDone('Noted: it is fine.'), onError: notifyError },
              )
            }
          >
            I have looked: it is fine
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

function EditButton({ document }: { readonly document: Document }) {
  const [opened, { open, close }] = useDisclosure()
  const { id, title, classification, regulations, acl } = document
  const stored: LabelValues = { classification, regulations, acl }
  const form = useForm<LabelValues>({ initialValues: stored })
  const update = useChange('patch', '/admin/v1/documents/{id}', {
    refresh: REFRESH,
    onDone: () => {
      form.resetDirty()
      close()
    },
  })
  useEdited(form, stored)
  const save = (values: LabelValues) =>
    update.mutate(
      { params: { path: { id } }, body: changedOnly(labelsBody(values), labelsBody(stored)) },
      { onError: showInForm(form) },
    )
  const dismiss = () => {
    close()
    form.reset()
  }
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        Change
      </Button>
      <FormModal
        opened={opened}
        unsaved={form.isDirty() && !update.isPending}
        onClose={dismiss}
        title={`Who may read ${title}`}
        size="lg"
      >
        <form onSubmit={form.onSubmit(save)}>
          <Stack>
            <LabelsFields form={form} unsaid={{ classification: 'as the collection', acl: 'Whoever the collection lets in' }} />
            <Button type="submit" loading={update.isPending}>
              Save
            </Button>
          </Stack>
        </form>
      </FormModal>
    </>
  )
}

function Deletion({ document: { id, title, collection_id } }: { readonly document: Document }) {
  const go = useGo()
  const remove = useChange('delete', '/admin/v1/documents/{id}', {
    expire: REFRESH,
    onDone: () => go(`/knowledge/${collection_id}`),
  })
  return (
    <ConfirmButton
      size="sm"
      color="red"
      question={`Delete ${title}?`}
      consequence="It is not found any more, and erased. This cannot be taken back."
      onConfirm={() => remove.mutateAsync({ params: { path: { id } } })}
    >
      Delete
    </ConfirmButton>
  )
}
