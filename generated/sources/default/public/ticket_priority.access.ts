// default · public.ticket_priority · access
import { access } from "engine/contract";
import { ticketPriority } from "./ticket_priority.table.ts";

export const ticketPriorityAccess = access(ticketPriority, {
});
