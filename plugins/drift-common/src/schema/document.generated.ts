// Made from schema/openapi.yaml by scripts/generate.mjs; do not edit.

/**
 * The OpenAPI document of the drift API.
 *
 * @public
 */
export const openApiDocument: { [key: string]: unknown } = {
  "openapi": "3.0.3",
  "info": {
    "title": "drift",
    "version": "1",
    "description": "What runs, compared with what was declared: verdicts, drifted fields, episodes, conflicts and the actions that people may take on them. Values of secret fields are `{\"$secret\": \"<keyed digest>\"}`, everywhere and always.",
    "license": {
      "name": "Apache-2.0"
    }
  },
  "servers": [
    {
      "url": "/"
    }
  ],
  "paths": {
    "/v1/resources": {
      "get": {
        "operationId": "listResources",
        "summary": "Resources, worst verdict first, then by platform, kind, namespace and name.",
        "parameters": [
          {
            "$ref": "#/components/parameters/entity"
          },
          {
            "$ref": "#/components/parameters/owner"
          },
          {
            "$ref": "#/components/parameters/platform"
          },
          {
            "name": "kind",
            "in": "query",
            "schema": {
              "type": "array",
              "items": {
                "type": "string"
              }
            },
            "explode": true
          },
          {
            "name": "namespace",
            "in": "query",
            "schema": {
              "type": "string"
            }
          },
          {
            "name": "verdict",
            "in": "query",
            "schema": {
              "type": "array",
              "items": {
                "$ref": "#/components/schemas/Verdict"
              }
            },
            "explode": true
          },
          {
            "name": "unassigned",
            "in": "query",
            "description": "Only resources that belong to no entity.",
            "schema": {
              "type": "boolean"
            }
          },
          {
            "name": "q",
            "in": "query",
            "description": "Part of a name.",
            "schema": {
              "type": "string",
              "maxLength": 200
            }
          },
          {
            "$ref": "#/components/parameters/limit"
          },
          {
            "$ref": "#/components/parameters/cursor"
          }
        ],
        "responses": {
          "200": {
            "description": "A page.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "additionalProperties": false,
                  "required": [
                    "items",
                    "total"
                  ],
                  "properties": {
                    "items": {
                      "type": "array",
                      "items": {
                        "$ref": "#/components/schemas/ResourceSummary"
                      }
                    },
                    "total": {
                      "type": "integer",
                      "description": "Resources that match the filter and that the caller may see."
                    },
                    "nextCursor": {
                      "type": "string"
                    }
                  }
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      }
    },
    "/v1/summary": {
      "get": {
        "operationId": "getSummary",
        "summary": "Counts by verdict for an entity, an owner or everything that the caller may see.",
        "parameters": [
          {
            "$ref": "#/components/parameters/entity"
          },
          {
            "$ref": "#/components/parameters/owner"
          },
          {
            "$ref": "#/components/parameters/platform"
          }
        ],
        "responses": {
          "200": {
            "description": "Counts.",
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Summary"
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      }
    },
    "/v1/resources/{id}": {
      "parameters": [
        {
          "$ref": "#/components/parameters/id"
        }
      ],
      "get": {
        "operationId": "getResource",
        "responses": {
          "200": {
            "description": "The resource with its fields.",
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ResourceDetail"
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      }
    },
    "/v1/resources/{id}/check": {
      "parameters": [
        {
          "$ref": "#/components/parameters/id"
        }
      ],
      "post": {
        "operationId": "checkResource",
        "summary": "Runs a pass now, with fresh reads of both sides. Answers when the pass is over.",
        "responses": {
          "200": {
            "description": "The resource after the pass.",
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ResourceDetail"
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      }
    },
    "/v1/check": {
      "post": {
        "operationId": "checkMany",
        "summary": "Brings forward the next pass of all resources of an entity or a platform.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                  "entity": {
                    "type": "string"
                  },
                  "platform": {
                    "type": "string"
                  }
                }
              }
            }
          }
        },
        "responses": {
          "202": {
            "description": "They are due now.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "additionalProperties": false,
                  "required": [
                    "due"
                  ],
                  "properties": {
                    "due": {
                      "type": "integer"
                    }
                  }
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      }
    },
    "/v1/resources/{id}/preview": {
      "parameters": [
        {
          "$ref": "#/components/parameters/id"
        }
      ],
      "post": {
        "operationId": "previewReconcile",
        "summary": "Reads both sides freshly and says what would be written if a person chose a side now. Writes nothing.",
        "description": "`declared` (the default): what a reconcile would write. `live`: what would still be written by policy once the live values are kept. Fields other than `paths` follow the policy, as they do when the choice is made.",
        "requestBody": {
          "required": false,
          "content": {
            "application/json": {
              "schema": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                  "side": {
                    "$ref": "#/components/schemas/Side"
                  },
                  "paths": {
                    "$ref": "#/components/schemas/FieldPaths"
                  }
                }
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The plan.",
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Plan"
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      }
    },
    "/v1/resources/{id}/reconcile": {
      "parameters": [
        {
          "$ref": "#/components/parameters/id"
        }
      ],
      "post": {
        "operationId": "reconcile",
        "summary": "Puts the declared side back, if both sides still are what the person saw (409 otherwise).",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "type": "object",
                "additionalProperties": false,
                "required": [
                  "seen"
                ],
                "properties": {
                  "seen": {
                    "$ref": "#/components/schemas/Seen"
                  },
                  "paths": {
                    "$ref": "#/components/schemas/FieldPaths"
                  },
                  "note": {
                    "type": "string",
                    "maxLength": 2000
                  }
                }
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The resource after the write and a fresh read.",
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ActionResult"
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      }
    },
    "/v1/resources/{id}/keep-live": {
      "parameters": [
        {
          "$ref": "#/components/parameters/id"
        }
      ],
      "post": {
        "operationId": "keepLive",
        "summary": "Leaves the live values as they are until either side moves again. The resource stays Drifted, reason KeptLive.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "type": "object",
                "additionalProperties": false,
                "required": [
                  "seen"
                ],
                "properties": {
                  "seen": {
                    "$ref": "#/components/schemas/Seen"
                  },
                  "paths": {
                    "$ref": "#/components/schemas/FieldPaths"
                  },
                  "note": {
                    "type": "string",
                    "maxLength": 2000
                  }
                }
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The resource with its kept fields.",
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ActionResult"
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      }
    },
    "/v1/resources/{id}/episodes": {
      "parameters": [
        {
          "$ref": "#/components/parameters/id"
        },
        {
          "$ref": "#/components/parameters/limit"
        },
        {
          "$ref": "#/components/parameters/cursor"
        }
      ],
      "get": {
        "operationId": "listEpisodes",
        "responses": {
          "200": {
            "description": "Newest first.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "additionalProperties": false,
                  "required": [
                    "items"
                  ],
                  "properties": {
                    "items": {
                      "type": "array",
                      "items": {
                        "$ref": "#/components/schemas/Episode"
                      }
                    },
                    "nextCursor": {
                      "type": "string"
                    }
                  }
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      }
    },
    "/v1/resources/{id}/decisions": {
      "parameters": [
        {
          "$ref": "#/components/parameters/id"
        },
        {
          "$ref": "#/components/parameters/limit"
        },
        {
          "$ref": "#/components/parameters/cursor"
        }
      ],
      "get": {
        "operationId": "listDecisions",
        "responses": {
          "200": {
            "description": "Newest first.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "additionalProperties": false,
                  "required": [
                    "items"
                  ],
                  "properties": {
                    "items": {
                      "type": "array",
                      "items": {
                        "$ref": "#/components/schemas/DecisionRecord"
                      }
                    },
                    "nextCursor": {
                      "type": "string"
                    }
                  }
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      }
    },
    "/v1/conflicts": {
      "get": {
        "operationId": "listConflicts",
        "summary": "What waits for a person. Oldest first.",
        "parameters": [
          {
            "name": "status",
            "in": "query",
            "schema": {
              "type": "string",
              "enum": [
                "open",
                "resolved",
                "withdrawn"
              ],
              "default": "open"
            }
          },
          {
            "name": "mine",
            "in": "query",
            "description": "Only those whose owner is the caller or a group of the caller.",
            "schema": {
              "type": "boolean"
            }
          },
          {
            "$ref": "#/components/parameters/entity"
          },
          {
            "$ref": "#/components/parameters/owner"
          },
          {
            "$ref": "#/components/parameters/platform"
          },
          {
            "name": "kindOfQuestion",
            "in": "query",
            "schema": {
              "$ref": "#/components/schemas/QuestionKind"
            }
          },
          {
            "$ref": "#/components/parameters/limit"
          },
          {
            "$ref": "#/components/parameters/cursor"
          }
        ],
        "responses": {
          "200": {
            "description": "A page.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "additionalProperties": false,
                  "required": [
                    "items",
                    "total"
                  ],
                  "properties": {
                    "items": {
                      "type": "array",
                      "items": {
                        "$ref": "#/components/schemas/Conflict"
                      }
                    },
                    "total": {
                      "type": "integer"
                    },
                    "nextCursor": {
                      "type": "string"
                    }
                  }
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      }
    },
    "/v1/conflicts/{id}": {
      "parameters": [
        {
          "$ref": "#/components/parameters/id"
        }
      ],
      "get": {
        "operationId": "getConflict",
        "responses": {
          "200": {
            "description": "The conflict.",
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Conflict"
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      }
    },
    "/v1/conflicts/{id}/resolve": {
      "parameters": [
        {
          "$ref": "#/components/parameters/id"
        }
      ],
      "post": {
        "operationId": "resolveConflict",
        "summary": "Chooses a side. Applied only if both sides still are what the person saw (409 otherwise).",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "type": "object",
                "additionalProperties": false,
                "required": [
                  "choice",
                  "seen"
                ],
                "properties": {
                  "choice": {
                    "$ref": "#/components/schemas/Side"
                  },
                  "seen": {
                    "$ref": "#/components/schemas/Seen"
                  },
                  "note": {
                    "type": "string",
                    "maxLength": 2000
                  }
                }
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "What came of it.",
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ActionResult"
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      }
    },
    "/v1/conflicts/resolve-many": {
      "post": {
        "operationId": "resolveConflicts",
        "summary": "The same choice for several questions (first sight in bulk). Each is checked and applied on its own.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "type": "object",
                "additionalProperties": false,
                "required": [
                  "choice",
                  "conflicts"
                ],
                "properties": {
                  "choice": {
                    "$ref": "#/components/schemas/Side"
                  },
                  "conflicts": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": 500,
                    "items": {
                      "type": "object",
                      "additionalProperties": false,
                      "required": [
                        "id",
                        "seen"
                      ],
                      "properties": {
                        "id": {
                          "type": "string"
                        },
                        "seen": {
                          "$ref": "#/components/schemas/Seen"
                        }
                      }
                    }
                  },
                  "note": {
                    "type": "string",
                    "maxLength": 2000
                  }
                }
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "One answer for each.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "additionalProperties": false,
                  "required": [
                    "results"
                  ],
                  "properties": {
                    "results": {
                      "type": "array",
                      "items": {
                        "type": "object",
                        "additionalProperties": false,
                        "required": [
                          "id",
                          "applied",
                          "message"
                        ],
                        "properties": {
                          "id": {
                            "type": "string"
                          },
                          "applied": {
                            "type": "boolean"
                          },
                          "message": {
                            "type": "string"
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      }
    },
    "/v1/health": {
      "get": {
        "operationId": "getHealth",
        "summary": "Whether the loop of this backend process turns. Needs no credentials; for probes.",
        "responses": {
          "200": {
            "description": "It turns, or is about to start.",
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Health"
                }
              }
            }
          },
          "503": {
            "description": "It stands still.",
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Health"
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      }
    },
    "/v1/fleet": {
      "get": {
        "operationId": "getFleet",
        "summary": "Verdicts by owner and platform, oldest drift, platform health.",
        "responses": {
          "200": {
            "description": "The fleet.",
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/Fleet"
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      }
    },
    "/v1/policies": {
      "get": {
        "operationId": "listPolicies",
        "summary": "The rules set in the portal, and those from app-config (read-only).",
        "responses": {
          "200": {
            "description": "All rules, broadest first.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "additionalProperties": false,
                  "required": [
                    "items"
                  ],
                  "properties": {
                    "items": {
                      "type": "array",
                      "items": {
                        "$ref": "#/components/schemas/PolicyRule"
                      }
                    }
                  }
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      },
      "post": {
        "operationId": "setPolicy",
        "summary": "Sets a rule for a scope (a pause is one). Effective at the next write.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/PolicyRuleInput"
              }
            }
          }
        },
        "responses": {
          "201": {
            "description": "The rule.",
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/PolicyRule"
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      }
    },
    "/v1/policies/{id}": {
      "parameters": [
        {
          "$ref": "#/components/parameters/id"
        }
      ],
      "delete": {
        "operationId": "removePolicy",
        "responses": {
          "204": {
            "description": "Removed."
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      }
    },
    "/v1/declarations/apply": {
      "post": {
        "operationId": "applyDeclaration",
        "summary": "Declares a manifest (server-side apply) at a declaration source. The same manifest twice changes nothing.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "type": "object",
                "additionalProperties": false,
                "required": [
                  "source",
                  "manifest"
                ],
                "properties": {
                  "source": {
                    "type": "string",
                    "description": "Id of the declaration source, for example kubernetes/prod/customResources."
                  },
                  "manifest": {
                    "type": "object",
                    "additionalProperties": true
                  },
                  "entityRef": {
                    "type": "string",
                    "description": "Entity to link it to (label backstage.io/kubernetes-id)."
                  },
                  "dryRun": {
                    "type": "boolean",
                    "default": false
                  }
                }
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "What was declared.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "additionalProperties": false,
                  "required": [
                    "outcome",
                    "version",
                    "resources"
                  ],
                  "properties": {
                    "outcome": {
                      "type": "string",
                      "enum": [
                        "created",
                        "configured",
                        "unchanged"
                      ]
                    },
                    "version": {
                      "type": "string"
                    },
                    "resources": {
                      "type": "array",
                      "items": {
                        "type": "object",
                        "additionalProperties": false,
                        "required": [
                          "ref"
                        ],
                        "properties": {
                          "ref": {
                            "$ref": "#/components/schemas/ResourceRef"
                          },
                          "id": {
                            "type": "string"
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      }
    },
    "/v1/resources/by-ref": {
      "post": {
        "operationId": "findResource",
        "summary": "Finds a resource by platform, kind, namespace and name.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "$ref": "#/components/schemas/ResourceRef"
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The resource.",
            "content": {
              "application/json": {
                "schema": {
                  "$ref": "#/components/schemas/ResourceDetail"
                }
              }
            }
          },
          "default": {
            "$ref": "#/components/responses/Error"
          }
        }
      }
    }
  },
  "components": {
    "parameters": {
      "id": {
        "name": "id",
        "in": "path",
        "required": true,
        "schema": {
          "type": "string",
          "maxLength": 64
        }
      },
      "entity": {
        "name": "entity",
        "in": "query",
        "description": "Entity reference, for example component:default/orders.",
        "schema": {
          "type": "string"
        }
      },
      "owner": {
        "name": "owner",
        "in": "query",
        "description": "Entity reference of an owner.",
        "schema": {
          "type": "string"
        }
      },
      "platform": {
        "name": "platform",
        "in": "query",
        "schema": {
          "type": "string"
        }
      },
      "limit": {
        "name": "limit",
        "in": "query",
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 500,
          "default": 50
        }
      },
      "cursor": {
        "name": "cursor",
        "in": "query",
        "schema": {
          "type": "string"
        }
      }
    },
    "responses": {
      "Error": {
        "description": "An error, as Backstage says it.",
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/Error"
            }
          }
        }
      }
    },
    "schemas": {
      "Error": {
        "type": "object",
        "required": [
          "error",
          "response"
        ],
        "properties": {
          "error": {
            "type": "object",
            "required": [
              "name",
              "message"
            ],
            "properties": {
              "name": {
                "type": "string"
              },
              "message": {
                "type": "string"
              }
            }
          },
          "request": {
            "type": "object",
            "properties": {
              "method": {
                "type": "string"
              },
              "url": {
                "type": "string"
              }
            }
          },
          "response": {
            "type": "object",
            "required": [
              "statusCode"
            ],
            "properties": {
              "statusCode": {
                "type": "number"
              }
            }
          }
        }
      },
      "Verdict": {
        "type": "string",
        "enum": [
          "InSync",
          "Pending",
          "Drifted",
          "Missing",
          "Orphaned",
          "Conflicted",
          "Contested",
          "NonConvergent",
          "Invalid",
          "Blocked",
          "Unknown"
        ]
      },
      "Side": {
        "type": "string",
        "enum": [
          "declared",
          "live"
        ]
      },
      "FieldPaths": {
        "type": "array",
        "description": "The choice is for these fields alone (absent: for all). Each must be one that differs.",
        "minItems": 1,
        "maxItems": 1000,
        "items": {
          "type": "string"
        }
      },
      "QuestionKind": {
        "type": "string",
        "description": "conflict: both sides moved, or ownership is in doubt. liveEdit: only live moved and policy asks. firstSight: it differed before we looked. plan: mode ask. prune: a deletion waits.",
        "enum": [
          "conflict",
          "liveEdit",
          "firstSight",
          "plan",
          "prune"
        ]
      },
      "Timestamp": {
        "type": "string",
        "format": "date-time"
      },
      "ResourceRef": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "platform",
          "kind",
          "name"
        ],
        "properties": {
          "platform": {
            "type": "string"
          },
          "kind": {
            "type": "string"
          },
          "namespace": {
            "type": "string"
          },
          "name": {
            "type": "string"
          }
        }
      },
      "Seen": {
        "description": "Digests of the two sides that the person saw; `none` where a side is absent.",
        "type": "object",
        "additionalProperties": false,
        "required": [
          "declared",
          "live"
        ],
        "properties": {
          "declared": {
            "type": "string"
          },
          "live": {
            "type": "string"
          }
        }
      },
      "Next": {
        "description": "What will happen next, and when.",
        "type": "object",
        "additionalProperties": false,
        "required": [
          "message",
          "mayWrite"
        ],
        "properties": {
          "at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "message": {
            "type": "string",
            "description": "One sentence, for example \"Under enforce it is put back at the next pass.\""
          },
          "mayWrite": {
            "type": "boolean"
          }
        }
      },
      "ResourceSummary": {
        "type": "object",
        "required": [
          "id",
          "ref",
          "title",
          "verdict",
          "reason",
          "message",
          "since",
          "stale",
          "fields",
          "entities",
          "platformTitle",
          "policy",
          "next"
        ],
        "properties": {
          "id": {
            "type": "string"
          },
          "ref": {
            "$ref": "#/components/schemas/ResourceRef"
          },
          "title": {
            "type": "string",
            "description": "Kind and name as people say it, for example \"KongService shop/orders\"."
          },
          "platformTitle": {
            "type": "string"
          },
          "verdict": {
            "$ref": "#/components/schemas/Verdict"
          },
          "reason": {
            "type": "string"
          },
          "message": {
            "type": "string",
            "description": "One sentence of explanation."
          },
          "since": {
            "allOf": [
              {
                "$ref": "#/components/schemas/Timestamp"
              }
            ],
            "description": "Since when this verdict holds."
          },
          "verifiedAt": {
            "allOf": [
              {
                "$ref": "#/components/schemas/Timestamp"
              }
            ],
            "description": "Last time that both sides were read freshly."
          },
          "stale": {
            "type": "boolean",
            "description": "It was not verified within its staleness bound; the verdict then is Unknown."
          },
          "fields": {
            "type": "integer",
            "description": "Number of drifted fields."
          },
          "entities": {
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "owner": {
            "type": "string"
          },
          "policy": {
            "$ref": "#/components/schemas/EffectivePolicy"
          },
          "openConflictId": {
            "type": "string"
          },
          "next": {
            "$ref": "#/components/schemas/Next"
          }
        }
      },
      "EffectivePolicy": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "mode",
          "onLiveEdit",
          "onFirstSight",
          "actuator",
          "prune",
          "resyncSeconds",
          "maxStalenessSeconds"
        ],
        "properties": {
          "mode": {
            "type": "string",
            "enum": [
              "observe",
              "ask",
              "enforce"
            ]
          },
          "onLiveEdit": {
            "type": "string",
            "enum": [
              "revert",
              "ask",
              "accept"
            ]
          },
          "onFirstSight": {
            "type": "string",
            "enum": [
              "ask",
              "declared",
              "live"
            ]
          },
          "actuator": {
            "type": "string",
            "enum": [
              "direct",
              "operator"
            ]
          },
          "prune": {
            "type": "boolean"
          },
          "resyncSeconds": {
            "type": "integer"
          },
          "maxStalenessSeconds": {
            "type": "integer"
          },
          "paused": {
            "$ref": "#/components/schemas/Pause"
          }
        }
      },
      "Pause": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "by",
          "reason"
        ],
        "properties": {
          "by": {
            "type": "string"
          },
          "reason": {
            "type": "string"
          },
          "until": {
            "$ref": "#/components/schemas/Timestamp"
          }
        }
      },
      "FieldOwner": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "manager"
        ],
        "properties": {
          "manager": {
            "type": "string"
          },
          "operation": {
            "type": "string"
          },
          "subresource": {
            "type": "string"
          },
          "time": {
            "type": "string"
          },
          "ours": {
            "type": "boolean"
          }
        }
      },
      "FieldChange": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "path",
          "kind",
          "movedBy"
        ],
        "properties": {
          "path": {
            "type": "string"
          },
          "kind": {
            "type": "string",
            "enum": [
              "differs",
              "absent",
              "leftover"
            ]
          },
          "movedBy": {
            "type": "string",
            "enum": [
              "declared",
              "live",
              "both",
              "unknown"
            ]
          },
          "declared": {
            "description": "Absent: not there on this side."
          },
          "live": {},
          "lastAgreed": {},
          "owners": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/FieldOwner"
            }
          },
          "secret": {
            "type": "boolean"
          },
          "contested": {
            "type": "boolean"
          },
          "kept": {
            "type": "boolean",
            "description": "A person decided to keep the live value."
          }
        }
      },
      "ExtraField": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "path"
        ],
        "properties": {
          "path": {
            "type": "string"
          },
          "live": {},
          "isDefault": {
            "type": "boolean"
          },
          "owners": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/FieldOwner"
            }
          }
        }
      },
      "Problem": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "path",
          "reason",
          "message"
        ],
        "properties": {
          "path": {
            "type": "string"
          },
          "reason": {
            "type": "string"
          },
          "message": {
            "type": "string"
          }
        }
      },
      "Origin": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "source",
          "type",
          "apiVersion",
          "kind",
          "name"
        ],
        "properties": {
          "source": {
            "type": "string"
          },
          "type": {
            "type": "string",
            "enum": [
              "customResource",
              "manifest",
              "lastApplied"
            ]
          },
          "cluster": {
            "type": "string"
          },
          "url": {
            "type": "string"
          },
          "apiVersion": {
            "type": "string"
          },
          "kind": {
            "type": "string"
          },
          "namespace": {
            "type": "string"
          },
          "name": {
            "type": "string"
          }
        }
      },
      "ResourceDetail": {
        "allOf": [
          {
            "$ref": "#/components/schemas/ResourceSummary"
          },
          {
            "type": "object",
            "required": [
              "changes",
              "extras",
              "reordered",
              "warnings",
              "problems",
              "seen"
            ],
            "properties": {
              "origin": {
                "$ref": "#/components/schemas/Origin"
              },
              "liveKey": {
                "type": "string"
              },
              "liveLink": {
                "type": "string"
              },
              "lastAgreedAt": {
                "$ref": "#/components/schemas/Timestamp"
              },
              "changedAt": {
                "allOf": [
                  {
                    "$ref": "#/components/schemas/Timestamp"
                  }
                ],
                "description": "When live last changed, as the platform says it."
              },
              "changedBy": {
                "type": "string"
              },
              "changes": {
                "type": "array",
                "items": {
                  "$ref": "#/components/schemas/FieldChange"
                }
              },
              "extras": {
                "type": "array",
                "items": {
                  "$ref": "#/components/schemas/ExtraField"
                }
              },
              "reordered": {
                "type": "array",
                "items": {
                  "type": "string"
                }
              },
              "warnings": {
                "type": "array",
                "items": {
                  "$ref": "#/components/schemas/Problem"
                }
              },
              "problems": {
                "type": "array",
                "items": {
                  "$ref": "#/components/schemas/Problem"
                }
              },
              "seen": {
                "$ref": "#/components/schemas/Seen"
              },
              "declared": {
                "description": "The normalised, redacted declared state, while the sides differ."
              },
              "live": {},
              "lastAgreed": {},
              "episode": {
                "$ref": "#/components/schemas/Episode"
              },
              "controller": {
                "type": "object",
                "additionalProperties": false,
                "required": [
                  "name",
                  "evidence"
                ],
                "properties": {
                  "name": {
                    "type": "string"
                  },
                  "evidence": {
                    "type": "string"
                  }
                }
              },
              "conflict": {
                "$ref": "#/components/schemas/Conflict"
              }
            }
          }
        ]
      },
      "Summary": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "total",
          "byVerdict",
          "openConflicts"
        ],
        "properties": {
          "total": {
            "type": "integer"
          },
          "byVerdict": {
            "type": "object",
            "description": "Count for each verdict that occurs.",
            "additionalProperties": {
              "type": "integer"
            }
          },
          "openConflicts": {
            "type": "integer"
          },
          "verifiedAt": {
            "allOf": [
              {
                "$ref": "#/components/schemas/Timestamp"
              }
            ],
            "description": "The oldest last verification of them all."
          },
          "oldestDriftSince": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "unavailable": {
            "type": "array",
            "description": "Platforms and sources that could not be read, so that \"nothing here\" is never said wrongly.",
            "items": {
              "$ref": "#/components/schemas/PlatformStatus"
            }
          }
        }
      },
      "Plan": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "resourceId",
          "verdict",
          "action",
          "rule",
          "message",
          "seen",
          "writes",
          "kept",
          "guards"
        ],
        "properties": {
          "resourceId": {
            "type": "string"
          },
          "verdict": {
            "$ref": "#/components/schemas/Verdict"
          },
          "action": {
            "type": "string",
            "enum": [
              "none",
              "create",
              "update",
              "delete",
              "nudge",
              "propose",
              "ask",
              "hold"
            ]
          },
          "rule": {
            "type": "string"
          },
          "message": {
            "type": "string"
          },
          "seen": {
            "$ref": "#/components/schemas/Seen"
          },
          "writes": {
            "type": "array",
            "description": "Every field that would be written.",
            "items": {
              "type": "object",
              "additionalProperties": false,
              "required": [
                "path",
                "operation"
              ],
              "properties": {
                "path": {
                  "type": "string"
                },
                "operation": {
                  "type": "string",
                  "enum": [
                    "set",
                    "remove"
                  ]
                },
                "from": {},
                "to": {},
                "secret": {
                  "type": "boolean"
                }
              }
            }
          },
          "kept": {
            "type": "array",
            "items": {
              "type": "string"
            },
            "description": "Drifted fields that stay as they are live."
          },
          "guards": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/GuardAnswer"
            }
          },
          "platformDryRun": {
            "type": "string",
            "description": "What the platform itself said about the plan, if it can."
          },
          "before": {
            "description": "Live, normalised and redacted."
          },
          "after": {
            "description": "Live as it would be after the write."
          }
        }
      },
      "GuardAnswer": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "guard",
          "holds",
          "message"
        ],
        "properties": {
          "guard": {
            "type": "string"
          },
          "holds": {
            "type": "boolean"
          },
          "message": {
            "type": "string"
          }
        }
      },
      "ActionResult": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "applied",
          "message",
          "resource"
        ],
        "properties": {
          "applied": {
            "type": "boolean"
          },
          "message": {
            "type": "string"
          },
          "resource": {
            "$ref": "#/components/schemas/ResourceDetail"
          }
        }
      },
      "Episode": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "id",
          "resourceId",
          "verdict",
          "reason",
          "message",
          "startedAt",
          "fields"
        ],
        "properties": {
          "id": {
            "type": "string"
          },
          "resourceId": {
            "type": "string"
          },
          "verdict": {
            "$ref": "#/components/schemas/Verdict"
          },
          "reason": {
            "type": "string"
          },
          "message": {
            "type": "string"
          },
          "startedAt": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "endedAt": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "ending": {
            "type": "string",
            "enum": [
              "corrected",
              "correctedElsewhere",
              "declarationChanged",
              "keptLive",
              "resourceGone"
            ],
            "description": "corrected: our write (or nudge) put it right. correctedElsewhere: somebody put live back. declarationChanged: the declaration came to agree. keptLive: a person decided to leave it. resourceGone: both sides are gone."
          },
          "endMessage": {
            "type": "string"
          },
          "decidedBy": {
            "type": "string",
            "description": "The rule, or the person, by whose decision it ended."
          },
          "why": {
            "type": "string",
            "description": "Why it was decided so."
          },
          "fields": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/FieldChange"
            }
          },
          "changedAt": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "changedBy": {
            "type": "string"
          }
        }
      },
      "DecisionRecord": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "id",
          "at",
          "trigger",
          "verdict",
          "reason",
          "rule",
          "action",
          "message",
          "guards"
        ],
        "properties": {
          "id": {
            "type": "string"
          },
          "at": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "trigger": {
            "type": "string"
          },
          "by": {
            "type": "string"
          },
          "verdict": {
            "$ref": "#/components/schemas/Verdict"
          },
          "reason": {
            "type": "string"
          },
          "rule": {
            "type": "string"
          },
          "action": {
            "type": "string"
          },
          "message": {
            "type": "string"
          },
          "declaredVersion": {
            "type": "string"
          },
          "declaredDigest": {
            "type": "string"
          },
          "liveVersion": {
            "type": "string"
          },
          "liveDigest": {
            "type": "string"
          },
          "plan": {
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "guards": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/GuardAnswer"
            }
          },
          "result": {
            "type": "string",
            "description": "written, verified, dropped, failed … with the reason."
          },
          "engineVersion": {
            "type": "string"
          }
        }
      },
      "Conflict": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "id",
          "resourceId",
          "ref",
          "title",
          "platformTitle",
          "kindOfQuestion",
          "status",
          "question",
          "answers",
          "ifNobodyDecides",
          "openedAt",
          "fields",
          "seen"
        ],
        "properties": {
          "id": {
            "type": "string"
          },
          "resourceId": {
            "type": "string"
          },
          "ref": {
            "$ref": "#/components/schemas/ResourceRef"
          },
          "title": {
            "type": "string"
          },
          "platformTitle": {
            "type": "string"
          },
          "kindOfQuestion": {
            "$ref": "#/components/schemas/QuestionKind"
          },
          "status": {
            "type": "string",
            "enum": [
              "open",
              "resolved",
              "withdrawn"
            ]
          },
          "question": {
            "type": "string",
            "description": "One sentence that can be answered by choosing a side."
          },
          "answers": {
            "type": "array",
            "minItems": 1,
            "maxItems": 2,
            "items": {
              "type": "object",
              "additionalProperties": false,
              "required": [
                "choice",
                "label",
                "consequence"
              ],
              "properties": {
                "choice": {
                  "$ref": "#/components/schemas/Side"
                },
                "label": {
                  "type": "string"
                },
                "consequence": {
                  "type": "string"
                }
              }
            }
          },
          "ifNobodyDecides": {
            "type": "string"
          },
          "openedAt": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "entities": {
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "owner": {
            "type": "string"
          },
          "fields": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/FieldChange"
            }
          },
          "seen": {
            "$ref": "#/components/schemas/Seen"
          },
          "changedAt": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "changedBy": {
            "type": "string"
          },
          "resolvedAt": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "resolvedBy": {
            "type": "string"
          },
          "choice": {
            "$ref": "#/components/schemas/Side"
          },
          "note": {
            "type": "string"
          },
          "outcome": {
            "type": "string"
          }
        }
      },
      "PlatformStatus": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "id",
          "title",
          "kind",
          "status"
        ],
        "properties": {
          "id": {
            "type": "string"
          },
          "title": {
            "type": "string"
          },
          "kind": {
            "type": "string",
            "enum": [
              "platform",
              "source"
            ]
          },
          "status": {
            "type": "string",
            "enum": [
              "ok",
              "degraded",
              "unreachable",
              "unknown"
            ]
          },
          "message": {
            "type": "string"
          },
          "lastCompleteAt": {
            "allOf": [
              {
                "$ref": "#/components/schemas/Timestamp"
              }
            ],
            "description": "Last complete sweep or listing."
          },
          "lastTriedAt": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "sweepMilliseconds": {
            "type": "integer"
          },
          "requestsPerMinute": {
            "type": "integer"
          },
          "requestsLeft": {
            "type": "integer"
          },
          "resources": {
            "type": "integer"
          }
        }
      },
      "Health": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "status"
        ],
        "properties": {
          "status": {
            "type": "string",
            "enum": [
              "ok",
              "error"
            ]
          },
          "message": {
            "type": "string",
            "description": "Why it stands still."
          }
        }
      },
      "DurationSpread": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "median",
          "p95"
        ],
        "properties": {
          "median": {
            "type": "number",
            "minimum": 0
          },
          "p95": {
            "type": "number",
            "minimum": 0,
            "description": "95 of 100 took no longer."
          }
        }
      },
      "Fleet": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "summary",
          "byOwner",
          "byPlatform",
          "platforms"
        ],
        "properties": {
          "summary": {
            "$ref": "#/components/schemas/Summary"
          },
          "timeToDetectSeconds": {
            "allOf": [
              {
                "$ref": "#/components/schemas/DurationSpread"
              }
            ],
            "description": "Episodes that began in the last 24 hours: from the change, as the platform tells it, to the moment it was seen. Absent where there were none whose change is told."
          },
          "timeToCorrectSeconds": {
            "allOf": [
              {
                "$ref": "#/components/schemas/DurationSpread"
              }
            ],
            "description": "Episodes that were put right in the last 24 hours: from the change (where it is not told when, from the moment it was seen) to the moment a fresh read showed both sides equal. Absent where there were none."
          },
          "byOwner": {
            "type": "array",
            "items": {
              "type": "object",
              "additionalProperties": false,
              "required": [
                "total",
                "byVerdict"
              ],
              "properties": {
                "owner": {
                  "type": "string",
                  "description": "Absent: unassigned."
                },
                "total": {
                  "type": "integer"
                },
                "byVerdict": {
                  "type": "object",
                  "additionalProperties": {
                    "type": "integer"
                  }
                },
                "oldestDriftSince": {
                  "$ref": "#/components/schemas/Timestamp"
                }
              }
            }
          },
          "byPlatform": {
            "type": "array",
            "items": {
              "type": "object",
              "additionalProperties": false,
              "required": [
                "platform",
                "title",
                "total",
                "byVerdict"
              ],
              "properties": {
                "platform": {
                  "type": "string"
                },
                "title": {
                  "type": "string"
                },
                "total": {
                  "type": "integer"
                },
                "byVerdict": {
                  "type": "object",
                  "additionalProperties": {
                    "type": "integer"
                  }
                }
              }
            }
          },
          "platforms": {
            "type": "array",
            "items": {
              "$ref": "#/components/schemas/PlatformStatus"
            }
          }
        }
      },
      "PolicyScope": {
        "description": "Absent keys match everything; the rule with the most keys (resource over namespace over kind over platform) wins.",
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "platform": {
            "type": "string"
          },
          "kind": {
            "type": "string"
          },
          "namespace": {
            "type": "string"
          },
          "name": {
            "type": "string"
          }
        }
      },
      "PolicySettings": {
        "type": "object",
        "additionalProperties": false,
        "minProperties": 1,
        "properties": {
          "mode": {
            "type": "string",
            "enum": [
              "observe",
              "ask",
              "enforce"
            ]
          },
          "onLiveEdit": {
            "type": "string",
            "enum": [
              "revert",
              "ask",
              "accept"
            ]
          },
          "onFirstSight": {
            "type": "string",
            "enum": [
              "ask",
              "declared",
              "live"
            ]
          },
          "actuator": {
            "type": "string",
            "enum": [
              "direct",
              "operator"
            ]
          },
          "prune": {
            "type": "boolean"
          },
          "resyncSeconds": {
            "type": "integer"
          },
          "maxStalenessSeconds": {
            "type": "integer"
          },
          "paused": {
            "type": "boolean"
          }
        }
      },
      "PolicyRuleInput": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "scope",
          "settings",
          "reason"
        ],
        "properties": {
          "scope": {
            "$ref": "#/components/schemas/PolicyScope"
          },
          "settings": {
            "allOf": [
              {
                "$ref": "#/components/schemas/PolicySettings"
              },
              {
                "type": "object",
                "description": "What is set in the portal has narrower bounds than app-config. maxStaleness is longer than resync.",
                "properties": {
                  "resyncSeconds": {
                    "type": "integer",
                    "minimum": 5,
                    "maximum": 604800
                  },
                  "maxStalenessSeconds": {
                    "type": "integer",
                    "minimum": 10,
                    "maximum": 604800
                  }
                }
              }
            ]
          },
          "reason": {
            "type": "string",
            "minLength": 1,
            "maxLength": 2000
          },
          "until": {
            "$ref": "#/components/schemas/Timestamp"
          }
        }
      },
      "PolicyRule": {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "id",
          "origin",
          "scope",
          "settings"
        ],
        "properties": {
          "id": {
            "type": "string"
          },
          "origin": {
            "type": "string",
            "enum": [
              "config",
              "portal"
            ]
          },
          "scope": {
            "$ref": "#/components/schemas/PolicyScope"
          },
          "settings": {
            "$ref": "#/components/schemas/PolicySettings"
          },
          "reason": {
            "type": "string"
          },
          "by": {
            "type": "string"
          },
          "createdAt": {
            "$ref": "#/components/schemas/Timestamp"
          },
          "until": {
            "$ref": "#/components/schemas/Timestamp"
          }
        }
      }
    }
  }
};
