// Every row of messaging-api.md, and of decisions.md §3 where the document says nothing. One server for all of them.
import './messaging-api/authentication.ts'
import './messaging-api/conversations.ts'
import './messaging-api/messages.ts'
import './messaging-api/lists.ts'
