// default · public.ticket_status · access
import { access } from "engine/contract";
import { ticketStatus } from "./ticket_status.table.ts";

export const ticketStatusAccess = access(ticketStatus, {
});
