// Made from schema/openapi.yaml by scripts/generate.mjs; do not edit.
export interface paths {
    "/v1/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Resources, worst verdict first, then by platform, kind, namespace and name. */
        get: operations["listResources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Counts by verdict for an entity, an owner or everything that the caller may see. */
        get: operations["getSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resources/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        get: operations["getResource"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resources/{id}/check": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Runs a pass now, with fresh reads of both sides. Answers when the pass is over. */
        post: operations["checkResource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Brings forward the next pass of all resources of an entity or a platform. */
        post: operations["checkMany"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resources/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reads both sides freshly and says what would be written if a person chose a side now. Writes nothing.
         * @description `declared` (the default): what a reconcile would write. `live`: what would still be written by policy once the live values are kept. Fields other than `paths` follow the policy, as they do when the choice is made.
         */
        post: operations["previewReconcile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resources/{id}/reconcile": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Puts the declared side back, if both sides still are what the person saw (409 otherwise). */
        post: operations["reconcile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resources/{id}/keep-live": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Leaves the live values as they are until either side moves again. The resource stays Drifted, reason KeptLive. */
        post: operations["keepLive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resources/{id}/episodes": {
        parameters: {
            query?: {
                limit?: components["parameters"]["limit"];
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        get: operations["listEpisodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resources/{id}/decisions": {
        parameters: {
            query?: {
                limit?: components["parameters"]["limit"];
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        get: operations["listDecisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conflicts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What waits for a person. Oldest first. */
        get: operations["listConflicts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conflicts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        get: operations["getConflict"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conflicts/{id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Chooses a side. Applied only if both sides still are what the person saw (409 otherwise). */
        post: operations["resolveConflict"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/conflicts/resolve-many": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The same choice for several questions (first sight in bulk). Each is checked and applied on its own. */
        post: operations["resolveConflicts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the loop of this backend process turns. Needs no credentials; for probes. */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Verdicts by owner and platform, oldest drift, platform health. */
        get: operations["getFleet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The rules set in the portal, and those from app-config (read-only). */
        get: operations["listPolicies"];
        put?: never;
        /** Sets a rule for a scope (a pause is one). Effective at the next write. */
        post: operations["setPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["removePolicy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/declarations/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Declares a manifest (server-side apply) at a declaration source. The same manifest twice changes nothing. */
        post: operations["applyDeclaration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resources/by-ref": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Finds a resource by platform, kind, namespace and name. */
        post: operations["findResource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            error: {
                name: string;
                message: string;
            };
            request?: {
                method?: string;
                url?: string;
            };
            response: {
                statusCode: number;
            };
        };
        /** @enum {string} */
        Verdict: "InSync" | "Pending" | "Drifted" | "Missing" | "Orphaned" | "Conflicted" | "Contested" | "NonConvergent" | "Invalid" | "Blocked" | "Unknown";
        /** @enum {string} */
        Side: "declared" | "live";
        /** @description The choice is for these fields alone (absent: for all). Each must be one that differs. */
        FieldPaths: string[];
        /**
         * @description conflict: both sides moved, or ownership is in doubt. liveEdit: only live moved and policy asks. firstSight: it differed before we looked. plan: mode ask. prune: a deletion waits.
         * @enum {string}
         */
        QuestionKind: "conflict" | "liveEdit" | "firstSight" | "plan" | "prune";
        /** Format: date-time */
        Timestamp: string;
        ResourceRef: {
            platform: string;
            kind: string;
            namespace?: string;
            name: string;
        };
        /** @description Digests of the two sides that the person saw; `none` where a side is absent. */
        Seen: {
            declared: string;
            live: string;
        };
        /** @description What will happen next, and when. */
        Next: {
            at?: components["schemas"]["Timestamp"];
            /** @description One sentence, for example "Under enforce it is put back at the next pass." */
            message: string;
            mayWrite: boolean;
        };
        ResourceSummary: {
            id: string;
            ref: components["schemas"]["ResourceRef"];
            /** @description Kind and name as people say it, for example "KongService shop/orders". */
            title: string;
            platformTitle: string;
            verdict: components["schemas"]["Verdict"];
            reason: string;
            /** @description One sentence of explanation. */
            message: string;
            /** @description Since when this verdict holds. */
            since: components["schemas"]["Timestamp"];
            /** @description Last time that both sides were read freshly. */
            verifiedAt?: components["schemas"]["Timestamp"];
            /** @description It was not verified within its staleness bound; the verdict then is Unknown. */
            stale: boolean;
            /** @description Number of drifted fields. */
            fields: number;
            entities: string[];
            owner?: string;
            policy: components["schemas"]["EffectivePolicy"];
            openConflictId?: string;
            next: components["schemas"]["Next"];
        };
        EffectivePolicy: {
            /** @enum {string} */
            mode: "observe" | "ask" | "enforce";
            /** @enum {string} */
            onLiveEdit: "revert" | "ask" | "accept";
            /** @enum {string} */
            onFirstSight: "ask" | "declared" | "live";
            /** @enum {string} */
            actuator: "direct" | "operator";
            prune: boolean;
            resyncSeconds: number;
            maxStalenessSeconds: number;
            paused?: components["schemas"]["Pause"];
        };
        Pause: {
            by: string;
            reason: string;
            until?: components["schemas"]["Timestamp"];
        };
        FieldOwner: {
            manager: string;
            operation?: string;
            subresource?: string;
            time?: string;
            ours?: boolean;
        };
        FieldChange: {
            path: string;
            /** @enum {string} */
            kind: "differs" | "absent" | "leftover";
            /** @enum {string} */
            movedBy: "declared" | "live" | "both" | "unknown";
            /** @description Absent: not there on this side. */
            declared?: unknown;
            live?: unknown;
            lastAgreed?: unknown;
            owners?: components["schemas"]["FieldOwner"][];
            secret?: boolean;
            contested?: boolean;
            /** @description A person decided to keep the live value. */
            kept?: boolean;
        };
        ExtraField: {
            path: string;
            live?: unknown;
            isDefault?: boolean;
            owners?: components["schemas"]["FieldOwner"][];
        };
        Problem: {
            path: string;
            reason: string;
            message: string;
        };
        Origin: {
            source: string;
            /** @enum {string} */
            type: "customResource" | "manifest" | "lastApplied";
            cluster?: string;
            url?: string;
            apiVersion: string;
            kind: string;
            namespace?: string;
            name: string;
        };
        ResourceDetail: components["schemas"]["ResourceSummary"] & {
            origin?: components["schemas"]["Origin"];
            liveKey?: string;
            liveLink?: string;
            lastAgreedAt?: components["schemas"]["Timestamp"];
            /** @description When live last changed, as the platform says it. */
            changedAt?: components["schemas"]["Timestamp"];
            changedBy?: string;
            changes: components["schemas"]["FieldChange"][];
            extras: components["schemas"]["ExtraField"][];
            reordered: string[];
            warnings: components["schemas"]["Problem"][];
            problems: components["schemas"]["Problem"][];
            seen: components["schemas"]["Seen"];
            /** @description The normalised, redacted declared state, while the sides differ. */
            declared?: unknown;
            live?: unknown;
            lastAgreed?: unknown;
            episode?: components["schemas"]["Episode"];
            controller?: {
                name: string;
                evidence: string;
            };
            conflict?: components["schemas"]["Conflict"];
        };
        Summary: {
            total: number;
            /** @description Count for each verdict that occurs. */
            byVerdict: {
                [key: string]: number;
            };
            openConflicts: number;
            /** @description The oldest last verification of them all. */
            verifiedAt?: components["schemas"]["Timestamp"];
            oldestDriftSince?: components["schemas"]["Timestamp"];
            /** @description Platforms and sources that could not be read, so that "nothing here" is never said wrongly. */
            unavailable?: components["schemas"]["PlatformStatus"][];
        };
        Plan: {
            resourceId: string;
            verdict: components["schemas"]["Verdict"];
            /** @enum {string} */
            action: "none" | "create" | "update" | "delete" | "nudge" | "propose" | "ask" | "hold";
            rule: string;
            message: string;
            seen: components["schemas"]["Seen"];
            /** @description Every field that would be written. */
            writes: {
                path: string;
                /** @enum {string} */
                operation: "set" | "remove";
                from?: unknown;
                to?: unknown;
                secret?: boolean;
            }[];
            /** @description Drifted fields that stay as they are live. */
            kept: string[];
            guards: components["schemas"]["GuardAnswer"][];
            /** @description What the platform itself said about the plan, if it can. */
            platformDryRun?: string;
            /** @description Live, normalised and redacted. */
            before?: unknown;
            /** @description Live as it would be after the write. */
            after?: unknown;
        };
        GuardAnswer: {
            guard: string;
            holds: boolean;
            message: string;
        };
        ActionResult: {
            applied: boolean;
            message: string;
            resource: components["schemas"]["ResourceDetail"];
        };
        Episode: {
            id: string;
            resourceId: string;
            verdict: components["schemas"]["Verdict"];
            reason: string;
            message: string;
            startedAt: components["schemas"]["Timestamp"];
            endedAt?: components["schemas"]["Timestamp"];
            /**
             * @description corrected: our write (or nudge) put it right. correctedElsewhere: somebody put live back. declarationChanged: the declaration came to agree. keptLive: a person decided to leave it. resourceGone: both sides are gone.
             * @enum {string}
             */
            ending?: "corrected" | "correctedElsewhere" | "declarationChanged" | "keptLive" | "resourceGone";
            endMessage?: string;
            /** @description The rule, or the person, by whose decision it ended. */
            decidedBy?: string;
            /** @description Why it was decided so. */
            why?: string;
            fields: components["schemas"]["FieldChange"][];
            changedAt?: components["schemas"]["Timestamp"];
            changedBy?: string;
        };
        DecisionRecord: {
            id: string;
            at: components["schemas"]["Timestamp"];
            trigger: string;
            by?: string;
            verdict: components["schemas"]["Verdict"];
            reason: string;
            rule: string;
            action: string;
            message: string;
            declaredVersion?: string;
            declaredDigest?: string;
            liveVersion?: string;
            liveDigest?: string;
            plan?: string[];
            guards: components["schemas"]["GuardAnswer"][];
            /** @description written, verified, dropped, failed … with the reason. */
            result?: string;
            engineVersion?: string;
        };
        Conflict: {
            id: string;
            resourceId: string;
            ref: components["schemas"]["ResourceRef"];
            title: string;
            platformTitle: string;
            kindOfQuestion: components["schemas"]["QuestionKind"];
            /** @enum {string} */
            status: "open" | "resolved" | "withdrawn";
            /** @description One sentence that can be answered by choosing a side. */
            question: string;
            answers: {
                choice: components["schemas"]["Side"];
                label: string;
                consequence: string;
            }[];
            ifNobodyDecides: string;
            openedAt: components["schemas"]["Timestamp"];
            entities?: string[];
            owner?: string;
            fields: components["schemas"]["FieldChange"][];
            seen: components["schemas"]["Seen"];
            changedAt?: components["schemas"]["Timestamp"];
            changedBy?: string;
            resolvedAt?: components["schemas"]["Timestamp"];
            resolvedBy?: string;
            choice?: components["schemas"]["Side"];
            note?: string;
            outcome?: string;
        };
        PlatformStatus: {
            id: string;
            title: string;
            /** @enum {string} */
            kind: "platform" | "source";
            /** @enum {string} */
            status: "ok" | "degraded" | "unreachable" | "unknown";
            message?: string;
            /** @description Last complete sweep or listing. */
            lastCompleteAt?: components["schemas"]["Timestamp"];
            lastTriedAt?: components["schemas"]["Timestamp"];
            sweepMilliseconds?: number;
            requestsPerMinute?: number;
            requestsLeft?: number;
            resources?: number;
        };
        Health: {
            /** @enum {string} */
            status: "ok" | "error";
            /** @description Why it stands still. */
            message?: string;
        };
        DurationSpread: {
            median: number;
            /** @description 95 of 100 took no longer. */
            p95: number;
        };
        Fleet: {
            summary: components["schemas"]["Summary"];
            /** @description Episodes that began in the last 24 hours: from the change, as the platform tells it, to the moment it was seen. Absent where there were none whose change is told. */
            timeToDetectSeconds?: components["schemas"]["DurationSpread"];
            /** @description Episodes that were put right in the last 24 hours: from the change (where it is not told when, from the moment it was seen) to the moment a fresh read showed both sides equal. Absent where there were none. */
            timeToCorrectSeconds?: components["schemas"]["DurationSpread"];
            byOwner: {
                /** @description Absent: unassigned. */
                owner?: string;
                total: number;
                byVerdict: {
                    [key: string]: number;
                };
                oldestDriftSince?: components["schemas"]["Timestamp"];
            }[];
            byPlatform: {
                platform: string;
                title: string;
                total: number;
                byVerdict: {
                    [key: string]: number;
                };
            }[];
            platforms: components["schemas"]["PlatformStatus"][];
        };
        /** @description Absent keys match everything; the rule with the most keys (resource over namespace over kind over platform) wins. */
        PolicyScope: {
            platform?: string;
            kind?: string;
            namespace?: string;
            name?: string;
        };
        PolicySettings: {
            /** @enum {string} */
            mode?: "observe" | "ask" | "enforce";
            /** @enum {string} */
            onLiveEdit?: "revert" | "ask" | "accept";
            /** @enum {string} */
            onFirstSight?: "ask" | "declared" | "live";
            /** @enum {string} */
            actuator?: "direct" | "operator";
            prune?: boolean;
            resyncSeconds?: number;
            maxStalenessSeconds?: number;
            paused?: boolean;
        };
        PolicyRuleInput: {
            scope: components["schemas"]["PolicyScope"];
            settings: components["schemas"]["PolicySettings"] & {
                resyncSeconds?: number;
                maxStalenessSeconds?: number;
            };
            reason: string;
            until?: components["schemas"]["Timestamp"];
        };
        PolicyRule: {
            id: string;
            /** @enum {string} */
            origin: "config" | "portal";
            scope: components["schemas"]["PolicyScope"];
            settings: components["schemas"]["PolicySettings"];
            reason?: string;
            by?: string;
            createdAt?: components["schemas"]["Timestamp"];
            until?: components["schemas"]["Timestamp"];
        };
    };
    responses: {
        /** @description An error, as Backstage says it. */
        Error: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        id: string;
        /** @description Entity reference, for example component:default/orders. */
        entity: string;
        /** @description Entity reference of an owner. */
        owner: string;
        platform: string;
        limit: number;
        cursor: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listResources: {
        parameters: {
            query?: {
                /** @description Entity reference, for example component:default/orders. */
                entity?: components["parameters"]["entity"];
                /** @description Entity reference of an owner. */
                owner?: components["parameters"]["owner"];
                platform?: components["parameters"]["platform"];
                kind?: string[];
                namespace?: string;
                verdict?: components["schemas"]["Verdict"][];
                /** @description Only resources that belong to no entity. */
                unassigned?: boolean;
                /** @description Part of a name. */
                q?: string;
                limit?: components["parameters"]["limit"];
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["ResourceSummary"][];
                        /** @description Resources that match the filter and that the caller may see. */
                        total: number;
                        nextCursor?: string;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getSummary: {
        parameters: {
            query?: {
                /** @description Entity reference, for example component:default/orders. */
                entity?: components["parameters"]["entity"];
                /** @description Entity reference of an owner. */
                owner?: components["parameters"]["owner"];
                platform?: components["parameters"]["platform"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Counts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Summary"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getResource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The resource with its fields. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResourceDetail"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    checkResource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The resource after the pass. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResourceDetail"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    checkMany: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    entity?: string;
                    platform?: string;
                };
            };
        };
        responses: {
            /** @description They are due now. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        due: number;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    previewReconcile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    side?: components["schemas"]["Side"];
                    paths?: components["schemas"]["FieldPaths"];
                };
            };
        };
        responses: {
            /** @description The plan. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plan"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    reconcile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    seen: components["schemas"]["Seen"];
                    paths?: components["schemas"]["FieldPaths"];
                    note?: string;
                };
            };
        };
        responses: {
            /** @description The resource after the write and a fresh read. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActionResult"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    keepLive: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    seen: components["schemas"]["Seen"];
                    paths?: components["schemas"]["FieldPaths"];
                    note?: string;
                };
            };
        };
        responses: {
            /** @description The resource with its kept fields. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActionResult"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listEpisodes: {
        parameters: {
            query?: {
                limit?: components["parameters"]["limit"];
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Episode"][];
                        nextCursor?: string;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listDecisions: {
        parameters: {
            query?: {
                limit?: components["parameters"]["limit"];
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["DecisionRecord"][];
                        nextCursor?: string;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listConflicts: {
        parameters: {
            query?: {
                status?: "open" | "resolved" | "withdrawn";
                /** @description Only those whose owner is the caller or a group of the caller. */
                mine?: boolean;
                /** @description Entity reference, for example component:default/orders. */
                entity?: components["parameters"]["entity"];
                /** @description Entity reference of an owner. */
                owner?: components["parameters"]["owner"];
                platform?: components["parameters"]["platform"];
                kindOfQuestion?: components["schemas"]["QuestionKind"];
                limit?: components["parameters"]["limit"];
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Conflict"][];
                        total: number;
                        nextCursor?: string;
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getConflict: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The conflict. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conflict"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    resolveConflict: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    choice: components["schemas"]["Side"];
                    seen: components["schemas"]["Seen"];
                    note?: string;
                };
            };
        };
        responses: {
            /** @description What came of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActionResult"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    resolveConflicts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    choice: components["schemas"]["Side"];
                    conflicts: {
                        id: string;
                        seen: components["schemas"]["Seen"];
                    }[];
                    note?: string;
                };
            };
        };
        responses: {
            /** @description One answer for each. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: {
                            id: string;
                            applied: boolean;
                            message: string;
                        }[];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It turns, or is about to start. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description It stands still. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    getFleet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The fleet. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fleet"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    listPolicies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All rules, broadest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["PolicyRule"][];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    setPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyRuleInput"];
            };
        };
        responses: {
            /** @description The rule. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyRule"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
    removePolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Error"];
        };
    };
    applyDeclaration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Id of the declaration source, for example kubernetes/prod/customResources. */
                    source: string;
                    manifest: {
                        [key: string]: unknown;
                    };
                    /** @description Entity to link it to (label backstage.io/kubernetes-id). */
                    entityRef?: string;
                    /** @default false */
                    dryRun?: boolean;
                };
            };
        };
        responses: {
            /** @description What was declared. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        outcome: "created" | "configured" | "unchanged";
                        version: string;
                        resources: {
                            ref: components["schemas"]["ResourceRef"];
                            id?: string;
                        }[];
                    };
                };
            };
            default: components["responses"]["Error"];
        };
    };
    findResource: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResourceRef"];
            };
        };
        responses: {
            /** @description The resource. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResourceDetail"];
                };
            };
            default: components["responses"]["Error"];
        };
    };
}
